//! How many spaces each of the listed members sees.

use std::collections::HashMap;

use sqlx::{QueryBuilder, Sqlite};
use uuid::Uuid;

use crate::{Peer, members::Row};

const ALL: &str = "
    SELECT NULL, effective_default, COUNT(*) FROM nodes
    WHERE kind = 'space' AND deleted_at IS NULL AND organization_id = ";

const GIVEN: &str = "
    GROUP BY effective_default
    UNION ALL
    SELECT given.user_id, space.effective_default, COUNT(DISTINCT space.id)
    FROM (
        SELECT user_id, node_id FROM permissions WHERE organization_id = ";

const BY_TEAM: &str = "
        UNION ALL
        SELECT place.user_id, permission.node_id
        FROM team_members place JOIN permissions permission
            ON permission.team_id = place.team_id AND permission.organization_id = place.organization_id
        WHERE place.organization_id = ";

const COUNTED: &str = "
    ) given
    LEFT JOIN node_ancestors below ON below.ancestor_id = given.node_id
    LEFT JOIN nodes space ON space.id = below.node_id AND space.kind = 'space' AND space.deleted_at IS NULL
    GROUP BY given.user_id, space.effective_default";

/// By the default level: all of the organization, and those that members were given something on.
pub struct Spaces {
    all: HashMap<Option<String>, i64>,
    given: HashMap<Uuid, HashMap<Option<String>, i64>>,
}

impl Spaces {
    pub async fn of(peer: &Peer, organization: Uuid, members: &[Row]) -> Result<Self, sqlx::Error> {
        let mut query = QueryBuilder::new(ALL);
        query.push_bind(organization).push(GIVEN).push_bind(organization);
        among(query.push(" AND user_id IN "), members);
        query.push(BY_TEAM).push_bind(organization);
        among(query.push(" AND place.user_id IN "), members);
        query.push(COUNTED);
        let rows: Vec<(Option<Uuid>, Option<String>, i64)> = query.build_query_as().fetch_all(&peer.db).await?;
        let (mut all, mut given) = (HashMap::new(), HashMap::<_, HashMap<_, _>>::new());
        for (user, default, count) in rows {
            match user {
                None => all.insert(default, count),
                Some(user) => given.entry(user).or_default().insert(default, count),
            };
        }
        Ok(Self { all, given })
    }

    pub fn seen_by(&self, member: &Row) -> i64 {
        let given = self.given.get(&member.user.user_id);
        let counts = self.all.iter().map(|(default, count)| {
            let seen = match (member.role.as_deref(), default.as_deref()) {
                (Some("admin"), _) => true,
                (_, None) => false,
                (role, Some("inherit")) => role.is_some(),
                (_, Some(_)) => true,
            };
            let given = || given.and_then(|given| given.get(default)).copied();
            if seen { *count } else { given().unwrap_or_default() }
        });
        counts.sum()
    }
}

fn among(query: &mut QueryBuilder<Sqlite>, members: &[Row]) {
    query.push("(");
    let mut users = query.separated(", ");
    for member in members {
        users.push_bind(member.user.user_id);
    }
    query.push(")");
}
