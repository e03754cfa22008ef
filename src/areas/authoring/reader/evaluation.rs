//! Evaluation of the expressions and conditions in texts.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use content::{
    pages::{Page, PageContent, Variable},
    reading::read_stored,
};
use entity::base32;
use expressions::{Batch, Condition, Data, Expression};
use openapi::{conditional::EntityTag, error::ApiError, models::ExpressionEvaluation, work::WorkLimits};
use rich_text::{
    BlockLanguages, DocumentLimits, ExpressionSources, ExpressionValue, ExpressionValues, evaluate_markdown,
    may_have_expressions,
};
use serde_json::{Map, Value};

use super::{RevisionReader, digest, tag};

use crate::{
    areas::{authoring::Authoring, content::conditions::overloaded},
    kernel::Kernel,
};

/// A text of a revision, with what its expressions depend on.
#[derive(Default)]
pub(super) struct SourceText {
    pub markdown: String,
    /// The variables of the page.
    pub variables: Map<String, Value>,
    /// Computed from a specification. Whoever writes that is to learn nothing about visitors, as from the addresses of pictures.
    pub is_computed: bool,
}

/// A text of a revision, with the values of its expressions if they are to be replaced.
#[derive(Default)]
pub struct ReadText {
    pub source: String,
    pub values: Option<ExpressionValues>,
    /// The languages of code that are blocks of integrations among the nodes.
    pub languages: Arc<BlockLanguages>,
}

impl From<String> for ReadText {
    fn from(source: String) -> Self {
        Self {
            source,
            ..Self::default()
        }
    }
}

impl ReadText {
    fn with_values(source: String, values: ExpressionValues) -> Self {
        Self {
            values: Some(values),
            ..Self::from(source)
        }
    }

    pub fn with_languages(self, languages: Arc<BlockLanguages>) -> Self {
        Self { languages, ..self }
    }

    pub async fn into_markdown(self, work: &WorkLimits) -> Result<String, ApiError> {
        let Self { source, values, .. } = self;
        let Some(mut values) = values else {
            return Ok(source);
        };
        if !may_have_expressions(&source) {
            return Ok(source);
        }
        let length = source.len();
        let evaluate = move || evaluate_markdown(&source, &mut values, &DocumentLimits::default());
        work.run(length, evaluate).await?.map_err(ApiError::internal)
    }
}

/// What is evaluated of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// Nothing: the text is as it is stored.
    Source,
    /// The conditions of blocks. Expressions stay as they are written.
    Conditions,
    /// Conditions, and the expressions that do not depend on the visitor.
    Deterministic,
    /// Conditions and expressions.
    Evaluated,
}

/// The variables of a page, for expressions.
pub fn page_variables(page: &Page) -> Map<String, Value> {
    match &page.content {
        PageContent::Document { variables: of_page, .. } => variables(of_page),
        PageContent::Group | PageContent::Link { .. } | PageContent::Computed { .. } => Map::new(),
    }
}

/// The stored variables of a page, for expressions.
pub fn variables(of_page: &BTreeMap<String, String>) -> Map<String, Value> {
    let variables = of_page
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().into()));
    variables.collect()
}

/// A text in this form for a visitor.
pub async fn for_visitor(
    authoring: &Authoring,
    source: String,
    data: &Data,
    form: TextForm,
) -> Result<ReadText, ApiError> {
    let (sources, source) = find_sources(&authoring.kernel, source).await?;
    let values = compute_values(authoring, &sources, data, form).await?;
    Ok(ReadText::with_values(source, values))
}

/// The variables of a space, for expressions.
pub fn space_variables(variables: Vec<Variable>) -> Map<String, Value> {
    let variables = variables.into_iter().map(|it| (it.name, Value::from(it.value)));
    variables.collect()
}

async fn find_sources(kernel: &Kernel, source: String) -> Result<(ExpressionSources, String), ApiError> {
    if !may_have_expressions(&source) {
        return Ok((ExpressionSources::default(), source));
    }
    let sources = read_stored(&kernel.work, &source, |limits| ExpressionSources::of(&source, limits)).await?;
    Ok((sources.map_err(ApiError::internal)?, source))
}

impl RevisionReader<'_> {
    /// The tag of a part of the revision as the reader sees it.
    pub(super) fn part_tag(&self, part: &str) -> Result<EntityTag, ApiError> {
        Ok(match &self.visitor {
            Some(claims) => self.tag(&format!("{part}.{}", digest(claims)?)),
            None => self.tag(part),
        })
    }

    /// The tag of a part, which changes with the sources of computed pages, and with what is told of the Git repository.
    fn tag(&self, part: &str) -> EntityTag {
        let mut part = part.to_owned();
        if let Some(digest) = self.computed_from() {
            part = format!("{part}.{digest}");
        }
        if let Some(git) = &self.git.tag {
            part = format!("{part}.{}", base32::encode(git));
        }
        tag(self.revision.id, &part)
    }

    /// The tag of a text in this form, for these claims.
    pub(super) fn evaluated_tag(&self, part: &str, evaluated: ExpressionEvaluation) -> Result<EntityTag, ApiError> {
        let form = match self.form(evaluated) {
            TextForm::Source => return Ok(self.tag(part)),
            TextForm::Conditions => "conditions",
            TextForm::Deterministic => "deterministic",
            TextForm::Evaluated => "evaluated",
        };
        let claims = digest(&self.visitor)?;
        Ok(self.tag(&format!("{part}.{form}.{claims}")))
    }

    /// Visitors get no block whose condition does not hold, whatever they ask for.
    pub(super) fn form(&self, evaluated: ExpressionEvaluation) -> TextForm {
        match evaluated {
            ExpressionEvaluation::False if self.visitor.is_some() => TextForm::Conditions,
            ExpressionEvaluation::False => TextForm::Source,
            ExpressionEvaluation::DeterministicOnly => TextForm::Deterministic,
            ExpressionEvaluation::True => TextForm::Evaluated,
        }
    }

    /// Computes the values of the expressions of a text.
    pub(super) async fn evaluate(
        &mut self,
        text: SourceText,
        evaluated: ExpressionEvaluation,
    ) -> Result<ReadText, ApiError> {
        let SourceText {
            markdown,
            variables,
            is_computed,
        } = text;
        let form = match self.form(evaluated) {
            TextForm::Source => return Ok(markdown.into()),
            // Nothing is left that a client would evaluate with the claims.
            _ if is_computed && self.visitor.is_some() => TextForm::Evaluated,
            form => form,
        };
        let markdown = self.without_hidden_targets(markdown).await?;
        let (sources, source) = find_sources(&self.authoring.kernel, markdown).await?;
        let keeps_expressions = form == TextForm::Conditions || sources.expressions.is_empty();
        if sources.conditions.is_empty() && keeps_expressions {
            return Ok(source.into());
        }
        let data = self.data(&variables, is_computed).await?;
        let values = compute_values(self.authoring, &sources, &data, form).await?;
        Ok(ReadText::with_values(source, values))
    }

    /// Computes the values of the expressions of a text for print. Conditions hold for users, who see everything.
    pub(super) async fn evaluate_for_print(&mut self, text: SourceText) -> Result<ReadText, ApiError> {
        let (mut sources, source) = find_sources(&self.authoring.kernel, text.markdown).await?;
        let data = self.data(&text.variables, text.is_computed).await?;
        let held = match self.visitor {
            Some(_) => BTreeSet::new(),
            None => std::mem::take(&mut sources.conditions),
        };
        let mut values = compute_values(self.authoring, &sources, &data, TextForm::Evaluated).await?;
        values.hold(held);
        Ok(ReadText::with_values(source, values))
    }

    /// What conditions and expressions depend on: the claims of the visitor, and the variables of the space and of a page.
    /// Computed texts do not get the claims.
    pub(super) async fn data(&mut self, page: &Map<String, Value>, is_computed: bool) -> Result<Data, ApiError> {
        let space = self.compute(|pages| pages.stored_variables()).await?;
        let space = space_variables(space);
        Ok(match &self.visitor {
            Some(claims) if is_computed => claims.without_claims(&space, page),
            Some(claims) => claims.data(&space, page),
            // The organization is not at hand, and members are known.
            None => Data::new(Map::new(), &space, page).of_tenant(*self.revision.space.as_uuid()),
        })
    }
}

async fn compute_values(
    authoring: &Authoring,
    sources: &ExpressionSources,
    data: &Data,
    form: TextForm,
) -> Result<ExpressionValues, ApiError> {
    let mut batch = Batch::default();
    let (mut conditions, mut expressions) = (Vec::new(), Vec::new());
    let mut values = HashMap::new();
    for source in &sources.conditions {
        // A condition that cannot be parsed holds for nobody.
        if let Ok(condition) = Condition::parse(source) {
            batch.conditions.push(condition);
            conditions.push(source);
        }
    }
    let replaced = (form != TextForm::Conditions).then_some(&sources.expressions);
    for source in replaced.into_iter().flatten() {
        match Expression::parse(source) {
            Err(_) => {
                values.insert(source.clone(), ExpressionValue::Failed);
            }
            Ok(expression) if form == TextForm::Deterministic && expression.depends_on_visitor() => {
                values.insert(source.clone(), ExpressionValue::Unevaluated);
            }
            Ok(expression) => {
                batch.expressions.push(expression);
                expressions.push(source);
            }
        }
    }
    let outcome = authoring
        .contents
        .expressions
        .evaluate(&batch, data)
        .await
        .map_err(overloaded)?;
    let holding = conditions.into_iter().zip(outcome.conditions);
    let holding: BTreeSet<String> = holding.filter(|(_, holds)| *holds).map(|(it, _)| it.clone()).collect();
    if replaced.is_none() {
        return Ok(ExpressionValues::of_conditions(holding));
    }
    for (source, value) in expressions.into_iter().zip(outcome.texts) {
        let value = value.map_or(ExpressionValue::Failed, ExpressionValue::Text);
        values.insert(source.clone(), value);
    }
    Ok(ExpressionValues::new(holding, values))
}
