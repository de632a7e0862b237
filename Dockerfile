# docker build -t heldout . && docker run --rm -v "$PWD":/study heldout run
# The folder with the table and the config is mounted as /study.
FROM python:3.13-slim
COPY . /src
# bash runs the jobs; lightgbm and scikit-learn need the OpenMP library.
RUN apt-get update \
    && apt-get install -y --no-install-recommends bash libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && pip install --no-cache-dir -c /src/constraints.txt "/src[figures,excel]" \
    && rm -rf /src
WORKDIR /study
ENTRYPOINT ["heldout"]
CMD ["run"]
