//! Wire types of conversations, issues and clusters.

use std::collections::BTreeMap;

use entity::conversations::{
    clusters::{self, IssuesClusterStatus as StoredStatus},
    conversations::{ConversationMethod as StoredMethod, Model, texts},
    issues,
};
use openapi::{
    error::ApiError,
    models::{
        Conversation, ConversationIssue, ConversationIssueUrls, ConversationMessage, ConversationMetadata,
        ConversationMethod, ConversationPart, ConversationUrls, ConversationWithParts, ConversationsIssuesCluster,
        ConversationsIssuesClusterStats, ConversationsIssuesClusterUrls, IssueWithConversation, IssuesClusterStatus,
    },
};
use platform::db::count;

use crate::kernel::{
    urls::Urls,
    wire::{ToWire, time, wire_enums},
};

wire_enums! {
    StoredMethod as ConversationMethod { Model, Extractive }
    IssuesClusterStatus => StoredStatus { Pending, Analysing }
}

/// An issue with its conversation.
pub type IssueRow = (issues::Model, Model);

pub fn conversation(urls: &Urls, row: Model) -> Conversation {
    Conversation {
        object: Default::default(),
        id: row.id.to_string(),
        subject: row.subject,
        created_at: time(row.created_at),
        processed_at: row.processed_at.map(time),
        source: row.source,
        urls: ConversationUrls {
            location: urls.conversation(row.organization_id, row.id),
            source: row.url,
        },
    }
}

pub fn with_parts(urls: &Urls, row: Model, texts: texts::Model) -> Result<ConversationWithParts, ApiError> {
    let metadata = ConversationMetadata {
        source_id: row.source_key.clone(),
        url: row.url.clone(),
        attributes: texts.attributes.map(serde_json::from_value).transpose()?,
        created_at: time(row.created_at),
        method: row.method.map(ToWire::to_wire),
        model: row.model.clone(),
    };
    let parts: Vec<ConversationPart> = serde_json::from_value(texts.parts)?;
    Ok(ConversationWithParts {
        conversation: conversation(urls, row),
        parts: parts.into_iter().map(message).collect(),
        metadata,
    })
}

fn message(part: ConversationPart) -> ConversationMessage {
    ConversationMessage {
        r#type: Default::default(),
        role: part.role,
        body: part.body,
    }
}

pub fn issue_with_conversation(urls: &Urls, (issue, of): IssueRow) -> IssueWithConversation {
    IssueWithConversation {
        issue: ConversationIssue {
            object: Default::default(),
            id: issue.id.to_string(),
            title: issue.title,
            summary: issue.summary,
            created_at: time(of.created_at),
            ingested_at: time(of.ingested_at),
            conversation: issue.conversation_id.to_string(),
            cluster: issue.cluster_id.to_string(),
            urls: ConversationIssueUrls {
                location: urls.conversation_issue(issue.organization_id, issue.id),
            },
        },
        conversation: conversation(urls, of),
    }
}

/// A cluster with its numbers of issues: of the last weeks, the earliest first, and by source.
pub fn cluster(
    urls: &Urls,
    row: clusters::Model,
    weekly_pulse: Vec<u64>,
    sources: BTreeMap<String, u64>,
) -> ConversationsIssuesCluster {
    ConversationsIssuesCluster {
        object: Default::default(),
        id: row.id.to_string(),
        label: row.label,
        created_at: time(row.created_at),
        updated_at: time(row.updated_at),
        icon: row.icon,
        summary: row.summary,
        weekly_pulse,
        sources,
        stats: ConversationsIssuesClusterStats {
            issues: count(row.issues),
            conversations: count(row.conversations),
            tasks_total: 0,
            tasks_backlog: 0,
            tasks_started: 0,
            tasks_completed: 0,
            tasks_cancelled: 0,
        },
        urls: ConversationsIssuesClusterUrls {
            location: urls.issues_cluster(row.organization_id, row.id),
            app: urls.issues_cluster_page(row.organization_id, row.id),
        },
    }
}
