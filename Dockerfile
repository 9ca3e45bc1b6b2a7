# Two images, both without the sources, the build tools, and root:
#
#     docker build --tag antelog .                          watch and try, with all brokers and databases
#     docker build --tag antelog:spark --target spark .     and `antelog run`, with Spark and a Java
#
# docs/docker.md shows them at work.

FROM python:3.11-slim AS wheel
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY locked locked
COPY antelog antelog
RUN pip install --no-cache-dir --require-hashes --requirement locked/build.txt \
    && pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels .

# The virtual environments are made where they will be, for their programs name the path.
FROM python:3.11-slim AS installed
COPY --from=wheel /wheels /wheels
COPY locked/watch.txt /locked/
RUN python3 -m venv /opt/antelog \
    && /opt/antelog/bin/pip install --no-cache-dir --require-hashes --requirement /locked/watch.txt \
    && /opt/antelog/bin/pip install --no-cache-dir --no-deps /wheels/*.whl \
    && /opt/antelog/bin/pip uninstall --yes pip setuptools

FROM python:3.11-slim AS installed-spark
COPY --from=wheel /wheels /wheels
COPY locked/spark.txt /locked/
RUN python3 -m venv /opt/antelog \
    && /opt/antelog/bin/pip install --no-cache-dir --require-hashes --requirement /locked/spark.txt \
    && /opt/antelog/bin/pip install --no-cache-dir --no-deps /wheels/*.whl \
    && /opt/antelog/bin/pip uninstall --yes pip setuptools

# What both have: a user of their own, and /data for what has to outlive a container.
FROM python:3.11-slim AS base
RUN useradd --uid 10001 --create-home antelog && install --directory --owner antelog --group antelog /data
ENV PATH=/opt/antelog/bin:$PATH PYTHONUNBUFFERED=1
WORKDIR /data
VOLUME /data
ENTRYPOINT ["antelog"]
CMD ["--help"]

FROM base AS spark
RUN apt-get update \
    && apt-get install --yes --no-install-recommends default-jre-headless procps \
    && rm -rf /var/lib/apt/lists/*
COPY --from=installed-spark /opt/antelog /opt/antelog
USER antelog

# The last one is what `docker build` makes. The page answers to the address it was started with.
FROM base AS watch
COPY --from=installed /opt/antelog /opt/antelog
USER antelog
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
    CMD ["python3", "-c", "import urllib.request; urllib.request.urlopen('http://0.0.0.0:8080/healthz', timeout=4)"]
