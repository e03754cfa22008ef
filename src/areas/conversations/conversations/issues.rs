//! Issues in the database.

use entity::{
    conversations::{
        conversations,
        issues::{Column, Entity},
    },
    ids::{ConversationId, IssuesClusterId, OrganizationId},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect, RelationDef, Select,
};

use super::{clusters, view::IssueRow};

/// The issues of an organization, those of a cluster, and those of a conversation.
pub fn matching(
    organization: OrganizationId,
    cluster: Option<IssuesClusterId>,
    conversation: Option<ConversationId>,
) -> Select<Entity> {
    let mut found = Entity::find().filter(Column::OrganizationId.eq(organization));
    if let Some(cluster) = cluster {
        found = found.filter(clusters::is_present(Column::ClusterId, organization, cluster));
    }
    if let Some(conversation) = conversation {
        found = found.filter(Column::ConversationId.eq(conversation));
    }
    found
}

/// Loads the issues that a query finds, in its order.
pub async fn with_conversations(db: &impl ConnectionTrait, found: Select<Entity>) -> Result<Vec<IssueRow>, DbErr> {
    let conversation: RelationDef = Entity::belongs_to(conversations::Entity)
        .from(Column::ConversationId)
        .to(conversations::Column::Id)
        .into();
    let found = found.join(JoinType::InnerJoin, conversation);
    let rows = found.select_also(conversations::Entity).all(db).await?;
    Ok(rows.into_iter().filter_map(|(issue, of)| Some((issue, of?))).collect())
}
