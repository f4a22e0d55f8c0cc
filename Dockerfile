# The App's server. It needs no git, no model and no disk: all state is in the repositories it serves.
FROM node:22-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund && npm run build && npm prune --omit=dev

FROM node:22-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0
COPY --from=build --chown=node:node /app/package.json /app/app.yml ./
COPY --from=build --chown=node:node /app/node_modules node_modules
COPY --from=build --chown=node:node /app/dist dist
USER node
EXPOSE 3000
CMD ["node", "dist/entrypoints/app/main.js"]
