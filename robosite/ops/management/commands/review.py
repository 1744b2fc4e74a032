from games.review import review
from robosite.ops.management import RecordCommand


class Command(RecordCommand):
    help = "Checks the record of a finished match and prints what each order cost, a JSON line a turn."
    look = staticmethod(review)
