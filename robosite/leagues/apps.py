from django.apps import AppConfig


class LeaguesConfig(AppConfig):
    name = "robosite.leagues"

    def ready(self) -> None:
        from robosite.leagues import flow, personal_data
        from robosite.leagues.pages import own_leagues
        from robosite.lobby import invitations, my_games
        from robosite.matches import clock
        from robosite.matches.time import heartbeat, timekeeping
        from robosite.people.personal_data import parts
        from robosite.play import waiting

        clock.more_steps.append(flow.settle_some)
        heartbeat.moves_before.append(flow.give_time_back)
        timekeeping.allowances.append(flow.holidays_of)
        waiting.askers.append(own_leagues.questions)
        my_games.groupings[own_leagues.grouped] = own_leagues.of_same_league
        invitations.link_makers.append(own_leagues.new_seat_link)
        parts["leagues"] = personal_data.PART
