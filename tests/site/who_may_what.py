"""Permissions: one table of every address (the admin's by one rule), for six kinds of people.

own: Alice, on seat A of the match. other: Bob, on its seat B. elsewhere: somebody with a seat in another
match. watcher: has been here before, but holds no seat. staff: logged in to the admin, which gives no right
to a seat.
For programs, own, other and elsewhere show the token of their seat; the others have none, cookies or not.
Where `program` is asked of, Alice shows the token of a program that she has written.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.site.routes import Ask

PEOPLE = {"anyone": 0, "watcher": 1, "Alice": 2, "Bob": 3, "elsewhere": 4, "staff": 5}

# name, method, what is asked of: status for anyone, watcher, own, other, elsewhere, staff
TABLE = """
home GET                             : 200 200 200 200 200 200
make POST                            : 302 302 302 302 302 302
make POST nameless                   : 422 422 422 422 422 422
play POST                            : 302 302 302 302 302 302
make POST here                       : 302 302 302 302 302 302
new GET pigs                         : 200 200 200 200 200 200
new GET roboxing                     : 200 200 200 200 200 200
new GET chess                        : 404 404 404 404 404 404
draw-board POST robosoccer           : 200 200 200 200 200 200
draw-board POST pigs                 : 404 404 404 404 404 404
import GET                           : 200 200 200 200 200 200
import POST                          : 302 302 302 302 302 302
import POST faulty                   : 422 422 422 422 422 422
new-league GET                       : 200 200 200 200 200 200
finished-leagues GET                 : 200 200 200 200 200 200
new-league POST                      : 302 302 302 302 302 302
new-league POST nameless             : 422 422 422 422 422 422
league GET                           : 200 200 200 200 200 200
league GET none                      : 404 404 404 404 404 404
league-of GET none                   : 404 404 404 404 404 404
start-league POST                    : 404 404 409 404 404 404
leave-league POST                    : 404 404 302 302 404 404
add-league-bot POST                  : 404 404 302 404 404 404
new-league-invite POST               : 404 404 302 404 404 404
new-place-link POST                  : 404 404 302 302 404 404
new-organiser-link POST              : 404 404 302 404 404 404
next-season POST                     : 404 404 409 404 404 404
stay-in-season POST                  : 404 404 404 404 404 404
league-terms GET                     : 404 404 409 404 404 404
league-terms POST                    : 404 404 409 404 404 404
play-once POST                       : 404 404 302 302 404 404
league-moment GET none               : 404 404 404 404 404 404
league-tonight GET none              : 404 404 404 404 404 404
league-table-picture GET none        : 404 404 404 404 404 404
league-feed GET                      : 200 200 200 200 200 200
league-channel GET                   : 200 200 200 200 200 200
league-channel POST                  : 404 404 422 404 404 404
league-channel POST end              : 404 404 302 404 404 404
league-calendar GET                  : 200 200 200 200 200 200
league-talk GET                      : 403 403 200 200 403 403
league-talk POST                     : 403 403 302 302 403 403
report-league GET                    : 200 200 200 200 200 200
report-league POST                   : 302 302 302 302 302 302
offer-place POST                     : 404 404 409 404 404 404
hand-over-place POST                 : 404 404 302 302 404 404
hand-on-organising POST none         : 404 404 409 404 404 404
choose-organiser POST                : 404 404 404 409 404 404
league-record GET                    : 409 409 409 409 409 409
league-invite GET                    : 200 200 200 200 200 200
league-invite GET none               : 404 404 404 404 404 404
join-league POST                     : 302 302 409 409 302 302
place-link GET                       : 200 200 200 200 200 200
place-link GET none                  : 404 404 404 404 404 404
take-place POST                      : 302 302 302 302 302 302
place-offer GET none                 : 404 404 404 404 404 404
take-offer POST none                 : 404 404 404 404 404 404
organiser-link GET                   : 200 200 200 200 200 200
organiser-link GET none              : 404 404 404 404 404 404
take-organiser POST                  : 302 302 302 302 302 302
api-leagues GET                      : 200 200 200 200 200 200
api-leagues POST                     : 201 201 201 201 201 201
api-league GET                       : 200 200 200 200 200 200
api-league GET none                  : 404 404 404 404 404 404
api-league-table GET                 : 200 200 200 200 200 200
api-league-matches GET               : 200 200 200 200 200 200
api-league-record GET                : 409 409 409 409 409 409
api-league-places POST               : 201 201 201 201 201 201
api-league-places-place DELETE league : 401 401 204 204 401 401
api-league-start POST league         : 401 401 409 403 401 401
api-league-organiser POST league     : 401 401 200 403 401 401
api-league-handover POST league      : 401 401 401 201 401 401
api-league-handover DELETE league    : 401 401 401 204 401 401
api-league-next POST league          : 401 401 409 403 401 401
api-league-channel POST league       : 401 401 422 403 401 401
api-league-channel GET league        : 404 404 404 404 404 404
api-league-channel DELETE league     : 401 401 204 403 401 401
api-me-leagues GET league            : 401 401 401 200 401 401
programs GET                         : 200 200 200 200 200 200
my-games GET                         : 200 200 200 200 200 200
waiting GET                          : 200 200 200 200 200 200
tables GET                           : 200 200 200 200 200 200
results GET                          : 200 200 200 200 200 200
next GET                             : 302 302 302 302 302 302
me GET                               : 200 200 200 200 200 200
rename POST                          : 302 302 302 302 302 302
rename POST nameless                 : 302 422 422 422 422 302
device POST                          : 302 200 200 200 200 302
phrase POST                          : 302 200 200 200 200 302
others-out POST                      : 302 302 302 302 302 302
my-mail POST                         : 302 302 302 302 302 302
my-mail POST remove                  : 302 302 302 302 302 302
my-mail POST wrong                   : 302 422 422 422 422 302
export GET                           : 302 200 200 200 200 302
leave-here POST                      : 302 302 302 302 302 302
forget-me GET                        : 302 200 200 200 200 302
forget-me POST                       : 302 302 302 302 302 302
back GET                             : 200 200 200 200 200 200
back-by-phrase POST                  : 302 302 302 302 302 302
back-by-phrase POST wrong            : 422 422 422 422 422 422
back-by-mail POST                    : 200 200 200 200 200 200
back-by-mail POST wrong              : 422 422 422 422 422 422
back-by-link POST                    : 302 302 302 302 302 302
back-by-link POST wrong              : 422 422 422 422 422 422
you-link GET                         : 200 200 200 200 200 200
you-link GET wrong                   : 404 404 404 404 404 404
you-take POST                        : 302 302 302 302 302 302
you-take POST bring                  : 302 302 302 302 302 302
you-take POST wrong                  : 404 404 404 404 404 404
mail-link GET                        : 200 200 200 200 200 200
mail-link GET wrong                  : 404 404 404 404 404 404
mail-confirm POST                    : 200 200 200 200 200 200
mail-confirm POST wrong              : 404 404 404 404 404 404
keep POST                            : 204 204 204 204 204 204
keep POST unknown                    : 400 400 400 400 400 400
offline-boards POST                  : 302 204 204 204 204 302
presence POST                        : 302 302 302 302 302 302
presence POST shown                  : 302 302 302 302 302 302
holidays GET                         : 200 200 200 200 200 200
holidays POST                        : 302 422 422 422 422 302
holidays POST end                    : 302 302 302 302 302 302
language POST                        : 302 302 302 302 302 302
healthz GET                          : 200 200 200 200 200 200
readyz GET                           : 200 200 200 200 200 200
robots GET                           : 200 200 200 200 200 200
security GET                         : 404 404 404 404 404 404
metrics GET                          : 404 404 404 404 404 404
privacy GET                          : 200 200 200 200 200 200
example GET                          : 200 200 200 200 200 200
example GET none                     : 404 404 404 404 404 404
first-lesson GET pigs                : 200 200 200 200 200 200
first-lesson GET chess               : 404 404 404 404 404 404
first-lesson POST                    : 302 302 302 302 302 302
learn GET                            : 200 200 200 200 200 200
learn GET none                       : 404 404 404 404 404 404
learn POST                           : 302 302 302 302 302 302
next-lesson GET bumps                : 200 200 200 200 200 200
next-lesson GET none                 : 404 404 404 404 404 404
next-lesson POST                     : 302 302 302 302 302 302
learn-more GET                       : 200 200 200 200 200 200
learn-more GET none                  : 404 404 404 404 404 404
learn-more POST                      : 302 302 302 302 302 302
puzzles GET                          : 200 200 200 200 200 200
puzzle GET                           : 200 200 200 200 200 200
puzzle GET none                      : 404 404 404 404 404 404
puzzle POST                          : 302 302 302 302 302 302
manifest GET                         : 200 200 200 200 200 200
speculation-rules GET                : 200 200 200 200 200 200
verify GET                           : 200 200 200 200 200 200
offline GET                          : 200 200 200 200 200 200
site-card GET                        : 200 200 200 200 200 200
game-card GET pigs                   : 200 200 200 200 200 200
game-card GET chess                  : 404 404 404 404 404 404
rules-of-all GET                     : 301 301 301 301 301 301
rules GET pigs                       : 200 200 200 200 200 200
rules GET chess                      : 404 404 404 404 404 404
paper GET pigs                       : 200 200 200 200 200 200
paper GET chess                      : 404 404 404 404 404 404
paper GET letter                     : 200 200 200 200 200 200
things GET pigs                      : 200 200 200 200 200 200
things GET chess                     : 404 404 404 404 404 404
things GET kids                      : 200 200 200 200 200 200
figures GET robble                   : 200 200 200 200 200 200
figures GET chess                    : 404 404 404 404 404 404
notation GET robble                  : 200 200 200 200 200 200
notation GET chess                   : 404 404 404 404 404 404
report-received GET                  : 200 200 200 200 200 200
report-received GET none             : 404 404 404 404 404 404
measure GET                          : 404 404 404 404 200 404
measure GET none                     : 404 404 404 404 404 404
measure POST read                    : 404 404 404 404 302 404
measure POST object                  : 404 404 404 404 302 404
measure POST wordless                : 404 404 404 404 422 404

notices GET                          : 200 200 200 200 200 200
wishes POST                          : 302 302 302 302 302 302
add-channel POST atom                : 302 302 302 302 302 302
add-channel POST push                : 302 422 422 422 422 302
channel POST save                    : 302 404 302 404 404 302
channel POST test                    : 302 404 302 404 404 302
channel POST remove                  : 302 404 302 404 404 302
feed GET                             : 200 200 200 200 200 200
feed GET none                        : 404 404 404 404 404 404
calendar GET                         : 200 200 200 200 200 200
calendar GET none                    : 404 404 404 404 404 404
unsubscribe GET                      : 200 200 200 200 200 200
unsubscribe POST                     : 200 200 200 200 200 200
unsubscribe GET none                 : 404 404 404 404 404 404
service-worker GET                   : 200 200 200 200 200 200
handed-over GET none                 : 404 404 404 404 404 404
take-over POST none                  : 404 404 404 404 404 404
api-handover POST none               : 422 422 422 422 422 422

invite GET playing                   : 200 200 200 200 200 200
invite GET open                      : 200 200 200 200 200 200
invite GET over                      : 200 200 200 200 200 200
accept POST playing                  : 409 409 409 409 409 409
accept POST open                     : 302 302 302 302 302 302
accept POST over                     : 409 409 409 409 409 409
opened POST playing                  : 204 204 204 204 204 204
opened POST open                     : 204 204 204 204 204 204
opened POST over                     : 204 204 204 204 204 204
table GET playing                    : 404 404 404 404 404 404
table GET open                       : 404 404 404 404 404 404
table GET over                       : 404 404 404 404 404 404
sit POST playing                     : 409 409 409 409 409 409
sit POST open                        : 409 409 409 409 409 409
sit POST over                        : 409 409 409 409 409 409
seat-link GET playing                : 200 200 200 200 200 200
seat-link GET open                   : 200 200 200 200 200 200
seat-link GET over                   : 200 200 200 200 200 200
take-seat POST playing               : 302 302 302 302 302 302
take-seat POST open                  : 302 302 302 302 302 302
take-seat POST over                  : 302 302 302 302 302 302

match GET playing                    : 200 200 200 200 200 200
match GET open                       : 200 200 200 200 200 200
match GET over                       : 200 200 200 200 200 200
match GET playing bare               : 200 200 302 302 200 200
match GET open bare                  : 200 200 302 302 200 200
match GET over bare                  : 200 200 302 302 200 200
step-picture GET playing 1.2.svg     : 200 200 200 200 200 200
step-picture GET playing 1.5.png     : 200 200 200 200 200 200
step-picture GET playing 2.0.svg     : 404 404 404 404 404 404
step-picture GET open 1.2.svg        : 404 404 404 404 404 404
step-picture GET open 1.5.png        : 404 404 404 404 404 404
step-picture GET open 2.0.svg        : 404 404 404 404 404 404
step-picture GET over 1.2.svg        : 404 404 404 404 404 404
step-picture GET over 1.5.png        : 404 404 404 404 404 404
step-picture GET over 2.0.svg        : 404 404 404 404 404 404
turn-picture GET playing             : 200 200 200 200 200 200
turn-picture GET open                : 404 404 404 404 404 404
turn-picture GET over                : 200 200 200 200 200 200
match-card GET playing               : 200 200 200 200 200 200
match-card GET open                  : 200 200 200 200 200 200
match-card GET over                  : 200 200 200 200 200 200
comic GET playing                    : 404 404 404 404 404 404
comic GET open                       : 404 404 404 404 404 404
comic GET over                       : 200 200 200 200 200 200
review GET playing                   : 404 404 404 404 404 404
review GET open                      : 404 404 404 404 404 404
review GET over                      : 200 200 200 200 200 200
again GET playing                    : 404 404 404 404 404 404
again GET open                       : 404 404 404 404 404 404
again GET over                       : 200 200 200 200 200 200
again POST playing                   : 404 404 404 404 404 404
again POST open                      : 404 404 404 404 404 404
again POST over                      : 302 302 302 302 302 302
embed GET playing                    : 404 404 404 404 404 404
embed GET open                       : 404 404 404 404 404 404
embed GET over                       : 200 200 200 200 200 200
oembed GET playing                   : 404 404 404 404 404 404
oembed GET open                      : 404 404 404 404 404 404
oembed GET over                      : 200 200 200 200 200 200
comic-strip GET playing              : 404 404 404 404 404 404
comic-strip GET open                 : 404 404 404 404 404 404
comic-strip GET over                 : 200 200 200 200 200 200
comic-reel GET playing               : 404 404 404 404 404 404
comic-reel GET open                  : 404 404 404 404 404 404
comic-reel GET over                  : 200 200 200 200 200 200
results GET playing with-A           : 404 404 404 404 404 404
results GET playing with-B           : 404 404 404 404 404 404
results GET playing with-H           : 404 404 404 404 404 404
results GET playing with             : 404 404 200 200 404 404
friend GET playing                   : 301 301 301 301 301 301
results GET open with-A              : 404 404 404 404 404 404
results GET open with-B              : 404 404 404 404 404 404
results GET open with-H              : 404 404 404 404 404 404
results GET open with                : 404 404 200 200 404 404
friend GET open                      : 301 301 301 301 301 301
results GET over with-A              : 404 404 404 200 404 404
results GET over with-B              : 404 404 200 404 404 404
results GET over with-H              : 404 404 404 404 404 404
results GET over with                : 404 404 200 200 404 404
friend GET over                      : 301 301 301 301 301 301
version GET playing                  : 200 200 200 200 200 200
rules GET playing                    : 200 200 200 200 200 200
version GET open                     : 200 200 200 200 200 200
rules GET open                       : 200 200 200 200 200 200
version GET over                     : 200 200 200 200 200 200
rules GET over                       : 200 200 200 200 200 200
match-menu GET playing               : 200 200 200 200 200 200
match-menu GET open                  : 200 200 200 200 200 200
match-menu GET over                  : 200 200 200 200 200 200
match-channel GET playing            : 200 200 200 200 200 200
match-channel GET open               : 200 200 200 200 200 200
match-channel GET over               : 200 200 200 200 200 200
record GET playing                   : 200 200 200 200 200 200
record GET open                      : 200 200 200 200 200 200
record GET over                      : 200 200 200 200 200 200
report GET playing                   : 200 200 200 200 200 200
report GET open                      : 200 200 200 200 200 200
report GET over                      : 200 200 200 200 200 200
report POST playing                  : 302 302 302 302 302 302
report POST open                     : 302 302 302 302 302 302
report POST over                     : 302 302 302 302 302 302
report POST playing wrong            : 422 422 422 422 422 422
report POST open wrong               : 422 422 422 422 422 422
report POST over wrong               : 422 422 422 422 422 422

ask GET playing                      : 200 200 200 302 200 200
ask POST playing                     : 302 302 302 302 302 302
ask POST playing invite              : 302 302 302 302 302 302
ask GET open                         : 200 200 200 302 200 200
ask POST open                        : 302 302 302 302 302 302
ask POST open invite                 : 302 302 302 302 302 302
ask GET over                         : 200 200 200 302 200 200
ask POST over                        : 302 302 302 302 302 302
ask POST over invite                 : 302 302 302 302 302 302

seat GET playing A                   : 403 403 200 403 403 403
seat GET open A                      : 403 403 200 403 403 403
seat GET over A                      : 403 403 200 403 403 403
qr GET playing A invite              : 403 403 200 403 403 403
qr GET playing A seat                : 403 403 200 403 403 403
qr GET open A invite                 : 403 403 200 403 403 403
qr GET open A seat                   : 403 403 200 403 403 403
qr GET over A invite                 : 403 403 200 403 403 403
qr GET over A seat                   : 403 403 200 403 403 403
plan POST playing A                  : 403 403 302 403 403 403
plan POST playing A draft            : 403 403 302 403 403 403
plan POST playing A wrong            : 403 403 422 403 403 403
plan POST playing A htmx             : 403 403 200 403 403 403
plan POST open A                     : 403 403 302 403 403 403
plan POST open A draft               : 403 403 302 403 403 403
plan POST open A wrong               : 403 403 422 403 403 403
plan POST open A htmx                : 403 403 200 403 403 403
plan POST over A                     : 403 403 422 403 403 403
plan POST over A draft               : 403 403 422 403 403 403
plan POST over A wrong               : 403 403 422 403 403 403
plan POST over A htmx                : 403 403 200 403 403 403
here POST playing A                  : 403 403 302 403 403 403
here POST open A                     : 403 403 302 403 403 403
here POST over A                     : 403 403 302 403 403 403
replies GET playing A                : 403 403 302 403 403 403
replies POST playing A               : 403 403 302 403 403 403
replies GET open A                   : 403 403 302 403 403 403
replies POST open A                  : 403 403 302 403 403 403
replies GET over A                   : 403 403 302 403 403 403
replies POST over A                  : 403 403 302 403 403 403
bubbles POST playing A               : 403 403 302 403 403 403
start POST playing A                 : 403 403 409 403 403 403
bubbles POST open A                  : 403 403 302 403 403 403
start POST open A                    : 403 403 302 403 403 403
bubbles POST over A                  : 403 403 302 403 403 403
start POST over A                    : 403 403 409 403 403 403
reopen POST playing A                : 403 403 302 403 403 403
reopen POST open A                   : 403 403 302 403 403 403
reopen POST over A                   : 403 403 409 403 403 403
resign POST playing A                : 403 403 302 403 403 403
resign POST open A                   : 403 403 302 403 403 403
resign POST over A                   : 403 403 409 403 403 403
draw POST playing A                  : 403 403 302 403 403 403
draw POST open A                     : 403 403 409 403 403 403
draw POST over A                     : 403 403 409 403 403 403
draw POST playing A no               : 403 403 409 403 403 403
draw POST open A no                  : 403 403 409 403 403 403
draw POST over A no                  : 403 403 409 403 403 403
call-off POST playing A              : 403 403 302 403 403 403
call-off POST open A                 : 403 403 409 403 403 403
call-off POST over A                 : 403 403 409 403 403 403
take-back POST playing A ask         : 403 403 409 403 403 403
take-back POST playing A withdraw    : 403 403 302 403 403 403
take-back POST playing A accept      : 403 403 409 403 403 403
take-back POST playing A decline     : 403 403 409 403 403 403
take-back POST open A ask            : 403 403 409 403 403 403
take-back POST open A withdraw       : 403 403 409 403 403 403
take-back POST open A accept         : 403 403 409 403 403 403
take-back POST open A decline        : 403 403 409 403 403 403
take-back POST over A ask            : 403 403 409 403 403 403
take-back POST over A withdraw       : 403 403 409 403 403 403
take-back POST over A accept         : 403 403 409 403 403 403
take-back POST over A decline        : 403 403 409 403 403 403
seat-menu GET playing A              : 403 403 200 403 403 403
seat-menu GET open A                 : 403 403 200 403 403 403
seat-menu GET over A                 : 403 403 200 403 403 403
time GET playing A                   : 403 403 200 403 403 403
time GET open A                      : 403 403 200 403 403 403
time GET over A                      : 403 403 200 403 403 403
seat-channel GET playing A           : 403 403 200 403 403 403
seat-channel GET open A              : 403 403 200 403 403 403
seat-channel GET over A              : 403 403 200 403 403 403
seat-channel POST playing A          : 403 403 422 403 403 403
seat-channel POST open A             : 403 403 422 403 403 403
seat-channel POST over A             : 403 403 422 403 403 403
seat-channel POST playing A end      : 403 403 302 403 403 403
seat-channel POST open A end         : 403 403 302 403 403 403
seat-channel POST over A end         : 403 403 302 403 403 403
pause POST playing A 1               : 403 403 409 403 403 403
pause POST open A 1                  : 403 403 409 403 403 403
pause POST over A 1                  : 403 403 409 403 403 403
pause POST playing A 0               : 403 403 302 403 403 403
pause POST open A 0                  : 403 403 409 403 403 403
pause POST over A 0                  : 403 403 409 403 403 403
nudge POST playing A                 : 403 403 409 403 403 403
nudge POST open A                    : 403 403 409 403 403 403
nudge POST over A                    : 403 403 409 403 403 403
claim POST playing A                 : 403 403 409 403 403 403
claim POST open A                    : 403 403 409 403 403 403
claim POST over A                    : 403 403 409 403 403 403
put-out POST playing A               : 403 403 409 403 403 403
put-out POST open A                  : 403 403 409 403 403 403
put-out POST over A                  : 403 403 409 403 403 403
asked POST playing A yes             : 403 403 302 403 403 403
asked POST playing A no              : 403 403 302 403 403 403
asked POST playing A here            : 403 403 409 403 403 403
asked POST open A yes                : 403 403 409 403 403 403
asked POST open A no                 : 403 403 409 403 403 403
asked POST open A here               : 403 403 409 403 403 403
asked POST over A yes                : 403 403 409 403 403 403
asked POST over A no                 : 403 403 409 403 403 403
asked POST over A here               : 403 403 409 403 403 403
leave POST playing A                 : 403 403 409 403 403 403
leave POST playing A all             : 403 403 409 403 403 403
leave POST open A                    : 403 403 302 403 403 403
leave POST open A all                : 403 403 302 403 403 403
leave POST over A                    : 403 403 409 403 403 403
leave POST over A all                : 403 403 409 403 403 403
new-link POST playing A              : 403 403 302 403 403 403
new-link POST open A                 : 403 403 302 403 403 403
new-link POST over A                 : 403 403 302 403 403 403
hand-over GET playing A              : 403 403 200 403 403 403
hand-over GET open A                 : 403 403 200 403 403 403
hand-over GET over A                 : 403 403 200 403 403 403
hand-over POST playing A             : 403 403 302 403 403 403
hand-over POST open A                : 403 403 302 403 403 403
hand-over POST over A                : 403 403 409 403 403 403
new-invite POST playing A            : 403 403 409 403 403 403
new-invite POST open A               : 403 403 302 403 403 403
new-invite POST over A               : 403 403 409 403 403 403
stay-listed POST playing A           : 403 403 409 403 403 403
stay-listed POST open A              : 403 403 302 403 403 403
stay-listed POST over A              : 403 403 409 403 403 403
seat-bot POST playing A              : 403 403 409 403 403 403
seat-bot POST open A                 : 403 403 302 403 403 403
seat-bot POST over A                 : 403 403 409 403 403 403
rematch POST playing A               : 403 403 409 403 403 403
rematch POST open A                  : 403 403 409 403 403 403
rematch POST over A                  : 403 403 302 403 403 403
results-here GET playing A           : 403 403 301 403 403 403
results-here GET open A              : 403 403 301 403 403 403
results-here GET over A              : 403 403 301 403 403 403

watchers-talk GET playing            : 200 200 403 403 200 200
watchers-talk GET open               : 200 200 403 403 200 200
watchers-talk GET over               : 200 200 200 200 200 200
watchers-talk POST playing           : 302 302 403 403 302 302
watchers-talk POST open              : 302 302 403 403 302 302
watchers-talk POST over              : 302 302 302 302 302 302
watchers-talk POST playing empty     : 422 422 403 403 422 422
watchers-talk POST open empty        : 422 422 403 403 422 422
watchers-talk POST over empty        : 422 422 422 422 422 422
talk GET playing A                   : 403 403 200 403 403 403
talk GET open A                      : 403 403 200 403 403 403
talk GET over A                      : 403 403 200 403 403 403
talk POST playing A                  : 403 403 302 403 403 403
talk POST open A                     : 403 403 302 403 403 403
talk POST over A                     : 403 403 302 403 403 403
talk POST playing A alone            : 403 403 302 403 403 403
talk POST open A alone               : 403 403 422 403 403 403
talk POST over A alone               : 403 403 422 403 403 403
talk POST playing A undo             : 403 403 200 403 403 403
talk POST open A undo                : 403 403 200 403 403 403
talk POST over A undo                : 403 403 200 403 403 403
talk POST playing A empty            : 403 403 200 403 403 403
talk POST open A empty               : 403 403 200 403 403 403
talk POST over A empty               : 403 403 200 403 403 403
notes GET playing A                  : 403 403 200 403 403 403
notes GET open A                     : 403 403 200 403 403 403
notes GET over A                     : 403 403 200 403 403 403
notes POST playing A word            : 403 403 302 403 403 403
notes POST open A word               : 403 403 302 403 403 403
notes POST over A word               : 403 403 422 403 403 403
notes POST playing A note            : 403 403 302 403 403 403
notes POST open A note               : 403 403 302 403 403 403
notes POST over A note               : 403 403 302 403 403 403

invite-program GET playing A         : 403 403 200 403 403 403
invite-program POST playing A        : 403 403 409 403 403 403
invite-program POST playing A none   : 403 403 404 403 403 403
invite-program GET open A            : 403 403 200 403 403 403
invite-program POST open A           : 403 403 302 403 403 403
invite-program POST open A none      : 403 403 404 403 403 403
invite-program GET over A            : 403 403 200 403 403 403
invite-program POST over A           : 403 403 409 403 403 403
invite-program POST over A none      : 403 403 404 403 403 403

api-root GET                         : 200 200 200 200 200 200
api-root-plain GET                   : 200 200 200 200 200 200
api-nothing GET                      : 404 404 404 404 404 404
api-games GET                        : 200 200 200 200 200 200
api-game GET pigs                    : 200 200 200 200 200 200
api-game GET chess                   : 404 404 404 404 404 404
api-programs POST                    : 201 201 201 201 201 201
api-programs POST taken              : 422 422 422 422 422 422
api-programs-token POST program      : 401 401 200 401 401 401
api-me GET program                   : 401 401 200 401 401 401
api-me DELETE program                : 401 401 204 401 401 401
api-me-export GET program            : 401 401 200 401 401 401
api-me-matches GET program           : 401 401 200 401 401 401
api-me PUT program                   : 401 401 200 401 401 401
api-programs GET                     : 200 200 200 200 200 200
api-me-challenges GET program        : 401 401 200 401 401 401
api-me-challenge DELETE program open : 401 401 204 401 401 401
api-me-challenge DELETE program playing: 401 401 404 401 401 401
api-me-events GET program            : 401 401 200 401 401 401
api-me-webhook GET program           : 401 401 200 401 401 401
api-me-webhook PUT program           : 401 401 422 401 401 401
api-me-webhook DELETE program        : 401 401 204 401 401 401
api-openapi.json GET                 : 200 200 200 200 200 200
api-docs GET                         : 200 200 200 200 200 200
api-matches GET                      : 200 200 200 200 200 200
api-records POST                     : 201 201 201 201 201 201
api-matches POST                     : 201 201 201 201 201 201
api-match GET playing                : 200 200 200 200 403 200
api-match GET open                   : 200 200 200 200 403 200
api-match GET over                   : 200 200 200 200 403 200
api-match-record GET playing         : 200 200 200 200 403 200
api-match-record GET open            : 200 200 200 200 403 200
api-match-record GET over            : 200 200 200 200 403 200
api-match-events GET playing         : 200 200 200 200 403 200
api-match-events GET open            : 200 200 200 200 403 200
api-match-events GET over            : 200 200 200 200 403 200
api-match-replies GET playing        : 401 401 200 200 403 401
api-match-replies GET open           : 401 401 200 200 403 401
api-match-replies GET over           : 401 401 200 200 403 401
api-match-replies PUT playing        : 401 401 422 422 403 401
api-match-replies PUT open           : 401 401 422 422 403 401
api-match-replies PUT over           : 401 401 422 422 403 401
api-match-replies DELETE playing     : 401 401 204 204 403 401
api-match-replies DELETE open        : 401 401 204 204 403 401
api-match-replies DELETE over        : 401 401 204 204 403 401
api-match-seats POST playing         : 409 409 409 409 409 409
api-match-seats POST playing wrong   : 403 403 403 403 403 403
api-match-seats POST open            : 201 201 201 201 201 201
api-match-seats POST open wrong      : 403 403 403 403 403 403
api-match-seats POST over            : 409 409 409 409 409 409
api-match-seats POST over wrong      : 403 403 403 403 403 403
api-match-draft PUT playing          : 401 401 204 409 403 401
api-match-draft PUT open             : 401 401 204 409 403 401
api-match-draft PUT over             : 401 401 409 409 403 401
api-match-order PUT playing          : 401 401 200 200 403 401
api-match-order PUT open             : 401 401 200 200 403 401
api-match-order PUT over             : 401 401 409 409 403 401
api-match-check POST playing         : 401 401 200 200 403 401
api-match-plan POST playing          : 401 401 200 200 403 401
api-match-check POST open            : 401 401 200 200 403 401
api-match-plan POST open             : 401 401 200 200 403 401
api-match-check POST over            : 401 401 409 409 403 401
api-match-plan POST over             : 401 401 409 409 403 401
api-match-order DELETE playing       : 401 401 204 204 403 401
api-match-order DELETE open          : 401 401 204 204 403 401
api-match-order DELETE over          : 401 401 409 409 403 401
api-match-resign POST playing        : 401 401 200 200 403 401
api-match-resign POST open           : 401 401 200 200 403 401
api-match-resign POST over           : 401 401 409 409 403 401
api-match-draw POST playing          : 401 401 200 200 403 401
api-match-draw POST open             : 401 401 409 409 403 401
api-match-draw POST over             : 401 401 409 409 403 401
api-match-claim POST playing         : 401 401 409 409 403 401
api-match-claim POST open            : 401 401 409 409 403 401
api-match-claim POST over            : 401 401 409 409 403 401
api-match-put-out POST playing       : 401 401 409 409 403 401
api-match-put-out POST open          : 401 401 409 409 403 401
api-match-put-out POST over          : 401 401 409 409 403 401
api-match-keep POST playing          : 401 401 200 200 403 401
api-match-keep POST open             : 401 401 200 200 403 401
api-match-keep POST over             : 401 401 200 200 403 401
api-match-handover POST playing      : 401 401 201 201 403 401
api-match-handover POST open         : 401 401 201 201 403 401
api-match-handover POST over         : 401 401 409 409 403 401
api-match-handover DELETE playing    : 401 401 204 204 403 401
api-match-handover DELETE open       : 401 401 204 204 403 401
api-match-handover DELETE over       : 401 401 204 204 403 401
api-match-proposals POST playing     : 401 401 200 200 403 401
api-match-proposals POST open        : 401 401 409 409 403 401
api-match-proposals POST over        : 401 401 409 409 403 401
api-match-rematch POST playing       : 401 401 409 409 403 401
api-match-rematch POST open          : 401 401 409 409 403 401
api-match-rematch POST over          : 401 401 200 200 403 401
api-match-nudge POST playing         : 401 401 409 200 403 401
api-match-nudge POST open            : 401 401 409 409 403 401
api-match-nudge POST over            : 401 401 409 409 403 401
api-match-channel POST playing       : 401 401 422 403 403 401
api-match-channel GET playing        : 404 404 404 404 403 404
api-match-channel DELETE playing     : 401 401 204 204 403 401
api-match-channel POST open          : 401 401 422 403 403 401
api-match-channel GET open           : 404 404 404 404 403 404
api-match-channel DELETE open        : 401 401 204 204 403 401
api-match-channel POST over          : 401 401 422 403 403 401
api-match-channel GET over           : 404 404 404 404 403 404
api-match-channel DELETE over        : 401 401 204 204 403 401
api-match-talk GET playing           : 401 401 200 200 403 401
api-match-talk GET open              : 401 401 200 200 403 401
api-match-talk GET over              : 401 401 200 200 403 401
api-match-talk POST playing          : 401 401 403 403 403 401
api-match-talk POST open             : 401 401 403 403 403 401
api-match-talk POST over             : 401 401 403 403 403 401
"""


def rows() -> Iterator[tuple[str, list[int]]]:
    for line in filter(None, TABLE.splitlines()):
        asked, _, statuses = line.partition(":")
        yield asked.strip(), [int(status) for status in statuses.split()]


EXPECTED = dict(rows())


def row(ask: Ask) -> str:
    return " ".join(filter(None, (ask.name, ask.method, ask.where)))
