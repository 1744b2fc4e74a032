# HOST and PORT for make run; ONLY, PAGE and WHOLE for make screenshots; WHOLE for make bench; ONLY and KILLS for make faults; VENV for
# make host; PYTHON names the Python to use; TEST_ARGS goes to pytest.
# (An exported HOST is often the machine's name, so only make's own HOST counts: make run HOST=0.0.0.0)
HOST = 127.0.0.1
PORT ?= 8000
PYTHON ?=
N ?=
SEED ?= 1
TEST_ARGS ?=
ONLY ?=
PAGE ?=
WHOLE ?=
KILLS ?=
VENV ?=
export PYTHON

python = .venv/bin/python
# Of tests that compute: one for each core, at most four. Of those that wait for browsers and servers: two more.
cores = $(shell n=$$(getconf _NPROCESSORS_ONLN); echo $$((n < 4 ? n : 4)))
workers = $(shell n=$$(getconf _NPROCESSORS_ONLN); echo $$((n < 2 ? n + 2 : 4)))
# Leave with make's failing status but without its "*** Error" line: what went wrong has been said in a sentence.
or_stop = || { kill -QUIT $$PPID; exit 0; }

.PHONY: help run check pythons browsers checkers lighthouse test test-integration test-both test-more test-all lint format types words lines balance designs referee ladder puzzles programs class bench bench-load felt faults host fuzz fuzz-requests pairs test-servers screenshots requirements clean
.SILENT:

help: ## what this Makefile can do
	awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' Makefile

run: ## play: install what is missing and serve (HOST=127.0.0.1 PORT=8000)
	sh .ci/venv site $(or_stop)
	exec $(python) manage.py serve --prepare --host $(HOST) --port $(PORT)

each = -n $(cores) --dist loadfile --no-loadscope-reorder
many = -n $(workers) --dist loadfile --no-loadscope-reorder
on_servers = not slow$(if $(LONG),, and not more and (not integration or postgres or redis or browser))

quick = tests/games tests/leagues tests/site/web/test_every_address.py \
	tests/site/play/test_film.py tests/site/play/test_taps.py $(patsubst %,tests/site/matches/test_%.py,\
	flow endings deadlines takeback seals who_may_act)

check: ## a minute's worth of tests for while you work: rules, leagues, the flow, one look at every address; no browser
	sh .ci/venv dev $(or_stop)
	$(python) .ci/run_tests.py -q $(each) -m "not integration and not more and not slow and not fuzz" $(quick) $(TEST_ARGS)

test: ## the tests to run before each commit (TEST_ARGS="-k seal")
	sh .ci/venv dev $(or_stop)
	$(python) .ci/run_tests.py $(each) -m "not integration and not more and not slow" $(TEST_ARGS)

test-integration: ## browsers, real processes, whole sites and leagues: with make test, what must pass before a change lands
	sh .ci/venv dev $(or_stop)
	$(python) .ci/run_tests.py $(many) -m "integration and not more and not slow" $(TEST_ARGS)

test-both: ## make test and make test-integration at once, in less time: some tests compute while others wait
	sh .ci/venv dev $(or_stop)
	$(python) .ci/run_tests.py $(many) -m "not more and not slow" $(TEST_ARGS)

test-more: ## what both leave out or play in a short form, without the slow tests
	sh .ci/venv dev $(or_stop)
	LONG=1 $(python) .ci/run_tests.py $(many) -m "(more or fuzz) and not slow" $(TEST_ARGS)

test-all: ## all tests in their long form, the slow ones too
	sh .ci/venv dev $(or_stop)
	LONG=1 $(python) .ci/run_tests.py $(many) $(TEST_ARGS)

test-servers: ## the site's tests, and a match in a browser, on PostgreSQL and Redis (LONG=1: in their long form)
	sh .ci/venv dev $(or_stop)
	ON_SERVERS=1 $(python) .ci/run_tests.py $(many) -m "$(on_servers)" tests/site tests/browser/test_whole_match.py $(TEST_ARGS)

pythons: ## a short test of the whole site on every CPython from 3.11 on that is here
	sh .ci/venv dev $(or_stop)
	$(python) .ci/pythons.py

browsers: ## a match of each game by link in each engine: Chromium, WebKit, Firefox, Chromiums of yesterday
	sh .ci/venv dev $(or_stop)
	sh .ci/engines $(or_stop)
	REQUIRE_ENGINES=1 LONG_MATCHES=1 $(python) .ci/run_tests.py -v tests/engines $(TEST_ARGS)

checkers: ## bring what other tools check the site with: of HTML, of OpenAPI descriptions, of calendars
	sh .ci/checkers/install $(or_stop)

lighthouse: ## how do Lighthouse's audits rate four pages on a phone?
	sh .ci/venv dev $(or_stop)
	CHROMIUM="$$(sh .ci/chromium whole)" && export CHROMIUM && $(python) -m tests.bench.lighthouse

fuzz-requests: ## odd requests over every address, form, call and socket: no answer of 500 or above (N=100000 SEED=1)
	sh .ci/venv dev $(or_stop)
	FUZZ_REQUESTS=$(or $(N),100000) FUZZ_SEED=$(SEED) FUZZ_TOLD=$(CURDIR)/.fuzz_told $(python) .ci/run_tests.py -q -n $(workers) \
		-p no:logging -m fuzz tests/site/web/test_fuzz.py tests/site/web/test_odd_values.py $(TEST_ARGS)
	cat .fuzz_told && rm .fuzz_told

pairs: ## N pairs of worlds that differ in a secret, in all games: everybody else is told the same (N=10000 SEED=1)
	sh .ci/venv dev $(or_stop)
	PAIRS=$(or $(N),10000) FUZZ_SEED=$(SEED) FUZZ_TOLD=$(CURDIR)/.fuzz_told $(python) .ci/run_tests.py -q -n $(workers) \
		-p no:logging tests/site/matches/test_pairs.py $(TEST_ARGS)
	cat .fuzz_told && rm .fuzz_told

fuzz: ## only the tests that play with chance, in their long form
	sh .ci/venv dev $(or_stop)
	LONG=1 $(python) .ci/run_tests.py -m fuzz $(TEST_ARGS)

lint: ## is everything formatted, and nothing forgotten?
	sh .ci/venv dev $(or_stop)
	$(python) -m ruff format --check .
	$(python) -m ruff check .
	PYTHONPATH=. .venv/bin/lint-imports --no-logo --no-cache
	$(python) -m djlint --lint --quiet templates
	! LC_ALL=C.UTF-8 grep -rnE '^.{121,}' templates # the lines of a template are at most 120 characters long
	sh .ci/checkers/install $(or_stop)
	.ci/checkers/node_modules/.bin/eslint --config .ci/checkers/eslint.config.mjs --max-warnings 0 static/js
	.ci/checkers/node_modules/.bin/tsc --project .ci/checkers/tsconfig.json
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

faults: ## kill, fill, lock and hang what the site stands on, and see that nothing is lost (ONLY=kills KILLS=100)
	sh .ci/venv dev $(or_stop)
	CHROMIUM="$$(sh .ci/chromium)" && export CHROMIUM && $(python) -m tests.faults $(if $(ONLY),--only $(ONLY)) \
		$(if $(KILLS),--kills $(KILLS))

host: ## a host's year in minutes: install, upgrade from each release, kill, restore, move to PostgreSQL, while people play (VENV=own)
	sh .ci/venv dev $(or_stop)
	$(python) -m tests.host $(if $(VENV),--own-venv)

lines: ## a match of each game through lines that fail in each way (ONLY=hanging or another one)
	sh .ci/venv dev $(or_stop)
	$(python) .ci/run_tests.py -n $(workers) tests/browser/test_bad_lines.py $(if $(ONLY),-k "[$(ONLY)-") $(TEST_ARGS)

balance: ## how even are the games? plays every preset by programs, into games/balance.json (N=1000 SEED=1)
	sh .ci/venv dev $(or_stop)
	$(python) .ci/balance.py --matches $(or $(N),1000) --seed $(SEED)

designs: ## look for the schedules of leagues of tables, into robosite/leagues/arithmetic/designs.json (SEED=1)
	sh .ci/venv dev $(or_stop)
	$(python) .ci/designs.py --seed $(SEED)

ladder: ## how much stronger is each program than the next? into games/ladder.json (ONLY=robble N=40 SEED=1)
	sh .ci/venv dev $(or_stop)
	$(python) .ci/ladder.py --matches $(or $(N),40) --seed $(SEED) $(if $(ONLY),--only $(ONLY))

referee: ## build the page that checks a match file, build/verify.html: the same bytes each time
	sh .ci/venv site $(or_stop)
	mkdir -p build
	$(python) manage.py referee build/verify.html

programs: ## two example programs play N matches of each game while one of them and the site are stopped (N=10)
	sh .ci/venv dev $(or_stop)
	PROGRAM_MATCHES=$(or $(N),10) $(python) .ci/run_tests.py -q -s tests/site/api/test_api_stream.py -k to_the_end $(TEST_ARGS)

class: ## thirty phones behind one address, from the link to a league: nobody is told to wait
	sh .ci/venv dev $(or_stop)
	LONG=1 $(python) .ci/run_tests.py -q -s tests/faults/test_class.py $(TEST_ARGS)

puzzles: ## look for puzzles in matches between programs, into games/puzzles.json (N=420 SEED=1)
	sh .ci/venv dev $(or_stop)
	$(python) .ci/puzzles.py --number $(or $(N),420) --seed $(SEED)

bench-load: ## how fast is it with a million matches? (PostgreSQL; 100,000 on SQLite)
	sh .ci/venv dev $(or_stop)
	$(python) -m tests.bench.many

bench: ## how fast is it? (WHOLE=1: the rules and the bots too)
	sh .ci/venv dev $(or_stop)
	$(python) -m tests.bench $(if $(WHOLE),--whole)

felt: ## what does a thumb feel on a phone far away, from a tap to its paint? (ONLY=taps, engines, ways, cold, reveals, films or idle)
	sh .ci/venv dev $(or_stop)
	CHROMIUM="$$(sh .ci/chromium)" && export CHROMIUM ONLY=$(ONLY) && $(python) -m tests.bench.felt

screenshots: ## every type of page, in four sizes and two themes, into screenshots/ (ONLY=pigs PAGE=planning WHOLE=1)
	sh .ci/venv dev $(or_stop)
	CHROMIUM="$$(sh .ci/chromium)" && export CHROMIUM && $(python) -m tests.screenshots $(if $(ONLY),--only $(ONLY)) \
		$(if $(PAGE),--page $(PAGE)) $(if $(WHOLE),--whole)

# Each file is pinned under the pins before it, since all are installed into one .venv.
pin = .venv/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header
requirements: ## pin the newest packages that requirements/*.in allow
	sh .ci/venv dev $(or_stop)
	$(python) -m pip install --quiet --disable-pip-version-check uv
	cd requirements && for name in site servers dev; do ../$(pin) $$name.in -o $$name.txt || exit; done

clean: ## remove what tools have made, but no data
	rm -rf .venv .venv.lock .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
