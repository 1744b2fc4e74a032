# The site in an image: PostgreSQL and Redis can be reached from it, nothing runs as root, only /data is written to.
# `docker compose up` (compose.yaml) starts all that belongs to it; docs/hosting.md explains.
FROM python:3.13-slim-trixie AS packages
COPY requirements/site.txt requirements/servers.txt /requirements/
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --require-hashes -r /requirements/site.txt \
    && /venv/bin/pip install --no-cache-dir --require-hashes -r /requirements/servers.txt

FROM python:3.13-slim-trixie
# Debian 13's postgresql-client is of version 17, as the server in compose.yaml: pg_dump must not be older than that.
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --no-create-home robosite \
    && install --directory --owner=robosite --mode=0700 /data /data/backups
COPY --from=packages /venv /venv
WORKDIR /srv/robosite
COPY manage.py ./
COPY games games
COPY locale locale
COPY robosite robosite
COPY static static
COPY templates templates
RUN /venv/bin/python -m compileall -q games robosite
ENV PATH=/venv/bin:$PATH DATA_DIR=/data PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER robosite
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["python", "manage.py"]
CMD ["serve", "--host", "0.0.0.0"]
