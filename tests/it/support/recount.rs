//! The counters that rows carry, against what there is to count.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use entity::{
    authoring::{
        change_requests::{self, ChangeRequestStatus},
        comments::{self, CommentStatus, commenters, counts, reaction_counts, reactions, repliers},
    },
    identity::users,
    ids::UserId,
    library::{nodes, spaces},
    organizations::{self, members, space_counts, teams},
    publishing::sites,
};
use platform::db::Db;
use sea_orm::{ActiveEnum, EntityTrait};

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
            users::Entity::find().all(&tx).await?,
            sites::Entity::find().all(&tx).await?,
        ))
    };
    let (organizations, members, teams, places, spaces, requests, comments, counts, users, sites) =
        db.write(work).await.unwrap();
    for member in &members {
        let user = users.iter().find(|user| user.id == member.user_id).unwrap();
        assert_eq!(member.sort_name, user.display_name.to_lowercase(), "members {when}");
    }
    comments_are_counted(&comments, &counts, when);
    participants_are_kept(db, &comments, when).await;
    reactions_are_counted(db, when).await;
    spaces_are_counted(db, when).await;
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
        let counted = sites.iter().filter(|site| site.organization_id == organization.id);
        assert_eq!(
            organization.sites_count as usize,
            counted.count(),
            "sites of {} {when}",
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

/// Who has commented on each content, and who has replied to each comment.
async fn participants_are_kept(db: &Db, comments: &[comments::Model], when: &str) {
    let kept = commenters::Entity::find().all(db.read()).await.unwrap();
    let kept: BTreeSet<_> = kept.iter().map(|row| (row.content_id, row.user_id)).collect();
    let content = |comment: &comments::Model| match comment.change_request_id {
        Some(request) => *request.as_uuid(),
        None => *comment.space_id.as_uuid(),
    };
    let expected = comments
        .iter()
        .map(|comment| (content(comment), comment.author_id))
        .collect();
    assert_eq!(kept, expected, "commenters {when}");
    let kept = repliers::Entity::find().all(db.read()).await.unwrap();
    let kept = kept
        .iter()
        .map(|row| ((row.comment_id, row.user_id), (row.replies, row.replied_at)));
    let mut expected: BTreeMap<_, (i32, _)> = BTreeMap::new();
    for reply in comments {
        let Some(parent) = reply.parent_id else { continue };
        let replier = expected
            .entry((parent, reply.author_id))
            .or_insert((0, reply.posted_at));
        *replier = (replier.0 + 1, replier.1.max(reply.posted_at));
    }
    assert_eq!(kept.collect::<BTreeMap<_, _>>(), expected, "repliers {when}");
}

/// The parts of an emoji add up to its reactions.
async fn reactions_are_counted(db: &Db, when: &str) {
    let mut counted: BTreeMap<_, i32> = BTreeMap::new();
    for part in reaction_counts::Entity::find().all(db.read()).await.unwrap() {
        *counted.entry((part.comment_id, part.emoji)).or_default() += part.reactions;
    }
    counted.retain(|_, sum| *sum != 0);
    let mut expected: BTreeMap<_, i32> = BTreeMap::new();
    for row in reactions::Entity::find().all(db.read()).await.unwrap() {
        *expected.entry((row.comment_id, row.emoji)).or_default() += 1;
    }
    assert_eq!(counted, expected, "reactions {when}");
}

/// The spaces of organizations by their default level, and the organization that change requests name.
pub async fn spaces_are_counted(db: &Db, when: &str) {
    let nodes = nodes::Entity::find().all(db.read()).await.unwrap();
    let mut expected: BTreeMap<_, i32> = BTreeMap::new();
    for space in &nodes {
        if space.kind == nodes::NodeKind::Space && space.deleted_at.is_none() {
            let level = space.effective_default.map_or(String::new(), |level| level.to_value());
            *expected.entry((space.organization_id, level)).or_default() += 1;
        }
    }
    let kept = space_counts::Entity::find().all(db.read()).await.unwrap();
    let kept = kept.into_iter().filter(|row| row.spaces != 0);
    let kept: BTreeMap<_, i32> = kept
        .map(|row| ((row.organization_id, row.default_level), row.spaces))
        .collect();
    assert_eq!(kept, expected, "spaces {when}");
    for request in change_requests::Entity::find().all(db.read()).await.unwrap() {
        let space = nodes.iter().find(|node| node.id == request.space_id).unwrap();
        assert_eq!(request.organization_id, space.organization_id, "change requests {when}");
    }
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
