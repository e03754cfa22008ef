//! The counters that rows carry, against what there is to count.

use std::collections::{BTreeMap, HashMap};

use entity::{
    change_requests::{self, ChangeRequestStatus},
    comments::{self, CommentStatus, counts},
    ids::UserId,
    members, organizations, spaces, teams,
};
use platform::db::Db;
use sea_orm::EntityTrait;

/// Panics unless every counter equals a recount.
pub async fn counters_are_right(db: &Db, when: &str) {
    // One transaction, so that nothing changes between two of the queries.
    let work = |tx| async move {
        Ok::<_, sea_orm::DbErr>((
            organizations::Entity::find().all(&tx).await?,
            members::Entity::find().all(&tx).await?,
            teams::Entity::find().all(&tx).await?,
            teams::members::Entity::find().all(&tx).await?,
            spaces::Entity::find().all(&tx).await?,
            change_requests::Entity::find().all(&tx).await?,
            comments::Entity::find().all(&tx).await?,
            counts::Entity::find().all(&tx).await?,
        ))
    };
    let (organizations, members, teams, places, spaces, requests, comments, counts) = db.write(work).await.unwrap();
    comments_are_counted(&comments, &counts, when);
    for space in &spaces {
        change_requests_are_counted(space, &requests, when);
    }
    for organization in &organizations {
        let counted = members
            .iter()
            .filter(|member| member.organization_id == organization.id)
            .count();
        assert_eq!(
            organization.members_count as usize, counted,
            "members of {} {when}",
            organization.title
        );
    }
    let mut in_team = HashMap::new();
    let mut of_member: HashMap<(_, UserId), usize> = HashMap::new();
    for place in &places {
        *in_team.entry(place.team_id).or_insert(0) += 1;
        *of_member.entry((place.organization_id, place.user_id)).or_insert(0) += 1;
    }
    for team in &teams {
        let counted = in_team.get(&team.id).copied().unwrap_or(0);
        assert_eq!(team.members_count, counted, "members of team {} {when}", team.title);
    }
    for member in &members {
        let counted = of_member
            .get(&(member.organization_id, member.user_id))
            .copied()
            .unwrap_or(0);
        assert_eq!(
            member.teams_count as usize, counted,
            "teams of {} {when}",
            member.user_id
        );
    }
    assert!(
        of_member
            .keys()
            .all(|key| members.iter().any(|m| (m.organization_id, m.user_id) == *key))
    );
}

/// The parts of a list add up to its comments.
fn comments_are_counted(comments: &[comments::Model], parts: &[counts::Model], when: &str) {
    let mut counted: BTreeMap<_, (i32, i32)> = BTreeMap::new();
    for part in parts {
        let sum = counted.entry((part.space_id.to_string(), part.list_id)).or_default();
        *sum = (sum.0 + part.comments, sum.1 + part.open);
    }
    counted.retain(|_, sum| *sum != (0, 0));
    let mut expected: BTreeMap<_, (i32, i32)> = BTreeMap::new();
    for comment in comments {
        let sum = expected
            .entry((comment.space_id.to_string(), comment.list_id))
            .or_default();
        *sum = (sum.0 + 1, sum.1 + i32::from(comment.status == CommentStatus::Open));
    }
    assert_eq!(counted, expected, "comments {when}");
}

/// What a space counts, and the numbers, which have no gaps.
fn change_requests_are_counted(space: &spaces::Model, requests: &[change_requests::Model], when: &str) {
    let of_space: Vec<_> = requests.iter().filter(|request| request.space_id == space.id).collect();
    let mut numbers: Vec<i32> = of_space.iter().map(|request| request.number).collect();
    numbers.sort_unstable();
    let expected: Vec<i32> = (1..=space.change_requests).collect();
    assert_eq!(numbers, expected, "numbers of change requests {when}");
    for (counter, status) in [
        (space.change_requests_open, ChangeRequestStatus::Open),
        (space.change_requests_draft, ChangeRequestStatus::Draft),
    ] {
        let counted = of_space.iter().filter(|request| request.status == status).count();
        assert_eq!(counter as usize, counted, "change requests with {status:?} {when}");
    }
}
