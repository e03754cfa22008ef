//! The job that finds the issues of a conversation.

use std::{sync::Arc, time::Duration};

use platform::{
    db::rows,
    jobs::{JobContext, JobError, JobKind},
};

use super::{
    finding, regroup,
    store::{self, ConversationToProcess},
};
use crate::areas::conversations::Conversations;

/// Finds the issues of a conversation, and groups them. A second run finds that the conversation is processed.
pub struct ProcessConversation(pub Arc<Conversations>);

impl JobKind for ProcessConversation {
    const NAME: &'static str = "process-conversation";
    const CONCURRENCY: usize = 2;
    const TIME_LIMIT: Duration = Duration::from_secs(5 * 60);
    type Payload = ConversationToProcess;

    async fn run(&self, context: &JobContext, conversation: ConversationToProcess) -> Result<(), JobError> {
        let (service, db) = (&self.0, self.0.kernel.db.read());
        let row = rows::find(db, store::of(conversation.organization), conversation.id).await?;
        let Some(row) = row.filter(|row| conversation.is_open(row)) else {
            return Ok(());
        };
        let Some(texts) = store::texts(db, row.id).await? else {
            return Ok(());
        };
        let found = finding::find(service, row, texts, context.attempt).await?;
        Ok(regroup::store_found(&service.kernel, conversation, found).await?)
    }
}
