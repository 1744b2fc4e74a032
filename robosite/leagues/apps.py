from django.apps import AppConfig


class LeaguesConfig(AppConfig):
    name = "robosite.leagues"

    def ready(self) -> None:
        from robosite.leagues import flow, personal_data
        from robosite.leagues.pages import own_leagues
        from robosite.lobby import invitations, my_games
        from robosite.matches import clock
        from robosite.matches.time import heartbeat, timekeeping
        from robosite.people.personal_data import register
        from robosite.play import waiting

        clock.register(flow.settle_some)
        heartbeat.register_before_matches(flow.give_time_back)
        timekeeping.register_allowance(flow.holidays_of)
        waiting.register(own_leagues.questions)
        my_games.register(own_leagues.grouped, own_leagues.of_same_league)
        invitations.register(own_leagues.new_seat_link)
        register("leagues", personal_data.PART)
