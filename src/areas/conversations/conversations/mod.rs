//! Conversations, their issues and the clusters of issues.

mod changes;
pub mod clusters;
mod counters;
mod finding;
mod frequencies;
mod groupings;
mod ingest;
mod issues;
mod near;
mod process_job;
mod regroup;
mod save;
mod store;
mod texts;
mod upkeep;
mod upkeep_job;
mod view;

use entity::{
    conversations::{
        conversations::{Column, Model},
        issues as stored_issues,
    },
    ids::{ConversationId, ConversationIssueId, IssuesClusterId, OrganizationId},
};
use openapi::{
    error::ApiError,
    models::{
        Conversation, ConversationIssueList, ConversationList, ConversationWithParts, ConversationsIssuesCluster,
        ConversationsIssuesClusterList, IngestConversation, IssueWithConversation,
    },
    operations::conversations::{
        ConversationsApi, ListConversationsIssuesClustersQuery, ListConversationsIssuesQuery, ListConversationsQuery,
    },
};
use platform::db::{Keyset, Tx, rows};
use sea_orm::{ColumnTrait, QueryFilter, Select};

pub use self::{process_job::ProcessConversation, upkeep_job::CompareClusters};

use crate::{
    access::OrganizationAccess,
    areas::conversations::Conversations,
    kernel::{
        audit::{AuditTarget, Changed},
        lists::List,
    },
};

impl ConversationsApi for Conversations {
    async fn list_conversations(
        &self,
        access: OrganizationAccess,
        query: ListConversationsQuery,
    ) -> Result<ConversationList, ApiError> {
        let found = store::of(access.organization);
        let found = match &query.source {
            Some(source) => found.filter(Column::Source.eq(source.as_str())),
            None => found,
        };
        let scope = ("conversations", access.organization, query.source);
        let list = List::new(&self.kernel, scope, query.page, query.limit);
        let view = |row: Model| -> Conversation { view::conversation(&self.kernel.urls, row) };
        let page = list.newest_first(found, |row| row.id, view).await?;
        Ok(page.into())
    }

    async fn ingest_conversation(&self, access: OrganizationAccess, body: IngestConversation) -> Result<(), ApiError> {
        let inputs = match body {
            IngestConversation::Object(input) => vec![*input],
            IngestConversation::Array(inputs) => inputs,
        };
        ingest::ingest(&self.kernel, &access, inputs).await
    }

    async fn get_conversation_by_id(
        &self,
        access: OrganizationAccess,
        conversation_id: ConversationId,
    ) -> Result<ConversationWithParts, ApiError> {
        let db = self.kernel.db.read();
        let row = rows::find(db, store::of(access.organization), conversation_id).await?;
        let row = row.ok_or_else(|| ApiError::not_found("conversation"))?;
        let texts = store::texts(db, row.id).await?;
        let texts = texts.ok_or_else(|| ApiError::not_found("conversation"))?;
        view::with_parts(&self.kernel.urls, row, texts)
    }

    async fn delete_conversation(
        &self,
        access: OrganizationAccess,
        conversation_id: ConversationId,
    ) -> Result<(), ApiError> {
        let (organization, kernel) = (access.organization, self.kernel.clone());
        let work = move |tx: Tx| async move {
            let removed = regroup::remove_conversation(&tx, &kernel, organization, conversation_id).await?;
            let target = removed.then(|| target(organization, conversation_id));
            Ok(Changed::if_some(target))
        };
        self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(())
    }

    async fn list_conversations_issues(
        &self,
        access: OrganizationAccess,
        query: ListConversationsIssuesQuery,
    ) -> Result<ConversationIssueList, ApiError> {
        let organization = access.organization;
        let found = issues::matching(organization, query.cluster, query.conversation);
        let scope = ("conversations-issues", organization, query.cluster, query.conversation);
        let list = List::new(&self.kernel, scope, query.page, query.limit);
        let order = Keyset::descending([(stored_issues::Entity, stored_issues::Column::Id)]);
        let db = self.kernel.db.read();
        let load = |found, after, limit| {
            let run = |query: Select<stored_issues::Entity>| issues::with_conversations(db, query);
            order.page(found, after, limit, run, |row: &view::IssueRow| row.0.id)
        };
        let urls = &self.kernel.urls;
        let views = async |rows: Vec<view::IssueRow>| {
            let view = |row: view::IssueRow| view::issue_with_conversation(urls, row);
            Ok(rows.into_iter().map(view).collect())
        };
        Ok(list.load(found, load, views).await?.into())
    }

    async fn get_conversation_issue_by_id(
        &self,
        access: OrganizationAccess,
        issue_id: ConversationIssueId,
    ) -> Result<IssueWithConversation, ApiError> {
        let found = issues::matching(access.organization, None, None).filter(stored_issues::Column::Id.eq(issue_id));
        let rows = issues::with_conversations(self.kernel.db.read(), found).await?;
        let row = rows.into_iter().next().ok_or_else(|| ApiError::not_found("issue"))?;
        Ok(view::issue_with_conversation(&self.kernel.urls, row))
    }

    async fn list_conversations_issues_clusters(
        &self,
        access: OrganizationAccess,
        query: ListConversationsIssuesClustersQuery,
    ) -> Result<ConversationsIssuesClusterList, ApiError> {
        clusters::list(&self.kernel, access.organization, query).await
    }

    async fn get_conversations_issues_cluster(
        &self,
        access: OrganizationAccess,
        cluster_id: IssuesClusterId,
    ) -> Result<ConversationsIssuesCluster, ApiError> {
        let found = clusters::find(self.kernel.db.read(), access.organization, cluster_id).await?;
        let row = found.ok_or_else(|| ApiError::not_found("cluster"))?;
        let views = clusters::views(&self.kernel, vec![row]).await?;
        views.into_iter().next().ok_or_else(|| ApiError::not_found("cluster"))
    }
}

/// Without a label: subjects of conversations may name people.
fn target(organization: OrganizationId, id: ConversationId) -> AuditTarget {
    AuditTarget::in_organization(organization, "conversation", id)
}
