//! What finds the issues of a conversation: the language model of the operator, or the server by itself.

use ::conversations::{FoundIssue, Part, Role, chat, extract};
use entity::{
    conversations::conversations::{ConversationMethod, Model, texts},
    ids::OrganizationId,
};
use openapi::{
    error::ApiError,
    models::{ConversationPart, ConversationRole},
};
use platform::jobs::JobError;
use serde_json::Value;
use specifications::HtmlRenderer;

use super::{groupings, texts as messages};
use crate::areas::conversations::{Conversations, model::ModelError};

/// Runs of the job in which the language model is asked; after them the server finds issues by itself.
const MODEL_ATTEMPTS: i32 = 3;

/// The tokens of a request before they are known: of each of its bytes, and of the answer.
const BYTES_PER_TOKEN: usize = 3;
const ANSWER_TOKENS: usize = 2_000;

/// The issues of a conversation, and what found them.
pub struct Found {
    pub issues: Vec<FoundIssue>,
    pub method: ConversationMethod,
    pub model: Option<String>,
}

/// A conversation as plain text.
struct PlainConversation {
    subject: Option<String>,
    parts: Vec<(Role, String)>,
}

impl PlainConversation {
    fn of(subject: Option<String>, texts: texts::Model) -> Result<Self, ApiError> {
        let (parts, mut renderer): (Vec<ConversationPart>, _) =
            (serde_json::from_value(texts.parts)?, HtmlRenderer::default());
        let plain = |part: ConversationPart| (role(part.role), messages::plain(&mut renderer, &part.body));
        Ok(Self {
            subject,
            parts: parts.into_iter().map(plain).collect(),
        })
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let parts = self.parts.iter();
        parts.map(|(role, text)| Part { role: *role, text }).collect()
    }

    fn extracted(&self) -> Found {
        Found {
            issues: extract(self.subject.as_deref(), &self.parts()),
            method: ConversationMethod::Extractive,
            model: None,
        }
    }

    fn request(&self, model: &str) -> Value {
        chat::request(model, self.subject.as_deref(), &self.parts())
    }
}

fn role(role: ConversationRole) -> Role {
    match role {
        ConversationRole::User => Role::User,
        ConversationRole::Assistant => Role::Assistant,
        ConversationRole::TeamMember => Role::TeamMember,
    }
}

/// Finds the issues of a conversation, in a run of its job.
pub async fn find(service: &Conversations, row: Model, texts: texts::Model, attempt: i32) -> Result<Found, JobError> {
    let (organization, work) = (row.organization_id, &service.kernel.work);
    let bytes = usize::try_from(row.length).unwrap_or(usize::MAX);
    let model = service.model.name().filter(|_| attempt <= MODEL_ATTEMPTS);
    let name = model.map(str::to_owned);
    let read = move || {
        let plain = PlainConversation::of(row.subject, texts)?;
        let request = name.map(|name| plain.request(&name));
        Ok::<_, ApiError>((plain, request))
    };
    let read = work.run(bytes, read).await.map_err(retryable)?;
    let (plain, request) = read.map_err(retryable)?;
    if let (Some(model), Some(request)) = (model, request)
        && let Some(issues) = ask(service, organization, &request, attempt).await?
    {
        return Ok(Found {
            issues,
            method: ConversationMethod::Model,
            model: Some(model.to_owned()),
        });
    }
    work.run(bytes, move || plain.extracted()).await.map_err(retryable)
}

fn retryable(error: impl Into<ApiError>) -> JobError {
    JobError::Retryable(error.into().to_string())
}

/// Asks the language model. `None`: the tokens of the day are used up, or the model gives no answer that can be used. An error if
/// another run of the job may get one.
async fn ask(
    service: &Conversations,
    organization: OrganizationId,
    request: &Value,
    attempt: i32,
) -> Result<Option<Vec<FoundIssue>>, JobError> {
    let kernel = &service.kernel;
    let tokens = request.to_string().len() / BYTES_PER_TOKEN + ANSWER_TOKENS;
    let tokens = i64::try_from(tokens).unwrap_or(i64::MAX);
    let reserved = groupings::reserve_tokens(kernel, organization, tokens, service.model.tokens_per_day).await?;
    let Some(reserved) = reserved else {
        tracing::info!(%organization, "the tokens of the language model for conversations are used up for today");
        return Ok(None);
    };
    let (problem, is_final) = match service.model.ask(request).await {
        Ok(answer) => {
            let (usage, read) = match chat::read_answer(&answer) {
                Ok((issues, usage)) => (usage, Ok(issues)),
                Err(error) => (error.usage, Err(error.to_string())),
            };
            let used = usage.prompt_tokens.saturating_add(usage.completion_tokens);
            // An endpoint that does not say what was used is believed to have used what was expected.
            if used > 0 {
                reserved.settle(kernel, used).await?;
            }
            match read {
                Ok(issues) => return Ok(Some(issues)),
                Err(problem) => (problem, false),
            }
        }
        Err(error) => {
            let is_final = matches!(error, ModelError::Refused(_));
            (error.to_string(), is_final)
        }
    };
    if attempt < MODEL_ATTEMPTS && !is_final {
        return Err(JobError::Retryable(problem));
    }
    tracing::warn!(%problem, "issues are found without the language model");
    Ok(None)
}
