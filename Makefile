# HOST and PORT for make run; ONLY, PAGE and WHOLE for make screenshots; PYTHON names the Python to use; TEST_ARGS goes to pytest.
# (An exported HOST is often the machine's name, so only make's own HOST counts: make run HOST=0.0.0.0)
HOST = 127.0.0.1
PORT ?= 8000
PYTHON ?=
TEST_ARGS ?=
ONLY ?=
PAGE ?=
WHOLE ?=
export PYTHON

python = .venv/bin/python
# Leave with make's failing status but without its "*** Error" line: what went wrong has been said in a sentence.
or_stop = || { kill -QUIT $$PPID; exit 0; }

.PHONY: help run test test-all lint format types words bench fuzz screenshots requirements clean
.SILENT:

help: ## what this Makefile can do
	awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' Makefile

run: ## play: install what is missing and serve (HOST=127.0.0.1 PORT=8000)
	sh .ci/venv site $(or_stop)
	$(python) manage.py migrate --verbosity 0
	$(python) manage.py collectstatic --no-input --verbosity 0
	exec $(python) manage.py serve --host $(HOST) --port $(PORT)

test: ## all tests but the slow ones (TEST_ARGS="-k seal")
	sh .ci/venv dev $(or_stop)
	$(python) .ci/run_tests.py -n auto --maxprocesses 4 --dist loadfile -m "not slow" $(TEST_ARGS)

test-all: ## the slow tests too
	sh .ci/venv dev $(or_stop)
	$(python) .ci/run_tests.py -n auto --maxprocesses 4 --dist loadfile $(TEST_ARGS)

fuzz: ## only the tests that play with chance
	sh .ci/venv dev $(or_stop)
	$(python) .ci/run_tests.py -m fuzz $(TEST_ARGS)

lint: ## is everything formatted, and nothing forgotten?
	sh .ci/venv dev $(or_stop)
	$(python) -m ruff format --check .
	$(python) -m ruff check .
	$(python) -m djlint --lint --quiet templates
	$(python) -m pip check
	$(python) manage.py check
	$(python) manage.py makemigrations --check --dry-run
	$(python) .ci/words.py --check

format: ## format the Python code and mend what can be mended
	sh .ci/venv dev $(or_stop)
	$(python) -m ruff check --fix --exit-zero .
	$(python) -m ruff format .

types: ## check the types
	sh .ci/venv dev $(or_stop)
	$(python) -m mypy

words: ## collect the texts to translate into locale/, and compile the translations
	sh .ci/venv dev $(or_stop)
	$(python) .ci/words.py

bench: ## how fast is it?
	sh .ci/venv dev $(or_stop)
	$(python) -m tests.bench

screenshots: ## every type of page, in three sizes and two themes, into screenshots/ (ONLY=pigs PAGE=planning WHOLE=1)
	sh .ci/venv dev $(or_stop)
	CHROMIUM="$$(sh .ci/chromium)" && export CHROMIUM && $(python) -m tests.screenshots $(if $(ONLY),--only $(ONLY)) \
		$(if $(PAGE),--page $(PAGE)) $(if $(WHOLE),--whole)

# Each file is pinned under the pins before it, since all three are installed into one .venv.
pin = .venv/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header
requirements: ## pin the newest packages that requirements/*.in allow
	sh .ci/venv dev $(or_stop)
	$(python) -m pip install --quiet --disable-pip-version-check uv
	cd requirements && for name in site servers dev bench; do ../$(pin) $$name.in -o $$name.txt || exit; done

clean: ## remove what tools have made, but no data
	rm -rf .venv .venv.lock .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
