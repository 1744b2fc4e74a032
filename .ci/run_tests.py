"""Runs pytest with what this machine offers: a Chromium, and PostgreSQL and Redis where they let us in.

CHROMIUM, WHOLE_CHROMIUM, TEST_POSTGRES_URL and TEST_REDIS_URL are found and set, unless the environment has
them.
"""

import os
import subprocess
import sys
from pathlib import Path

POSTGRES = "postgres://postgres@127.0.0.1:5432/postgres"
REDIS = "redis://127.0.0.1:6379/9"


def postgres_lets_us_in() -> bool:
    import psycopg

    try:
        psycopg.connect(POSTGRES, connect_timeout=2).close()
    except psycopg.Error:
        return False
    return True


def redis_lets_us_in() -> bool:
    import redis

    try:
        with redis.Redis.from_url(REDIS, socket_timeout=2, socket_connect_timeout=2) as client:
            client.ping()
    except redis.RedisError:
        return False
    return True


def chromium(*args: str) -> str:
    found = subprocess.run(
        ["sh", Path(__file__).with_name("chromium"), *args], stdout=subprocess.PIPE, text=True
    )
    if found.returncode != 0:
        sys.exit(1)
    return found.stdout.strip()


def main() -> None:
    if "WHOLE_CHROMIUM" not in os.environ:
        os.environ["WHOLE_CHROMIUM"] = chromium("whole")
    os.environ["CHROMIUM"] = chromium()
    if "TEST_POSTGRES_URL" not in os.environ and postgres_lets_us_in():
        os.environ["TEST_POSTGRES_URL"] = POSTGRES
    if "TEST_REDIS_URL" not in os.environ and redis_lets_us_in():
        os.environ["TEST_REDIS_URL"] = REDIS
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else every worker compiles all tests, at every run
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *sys.argv[1:]])


if __name__ == "__main__":
    main()
