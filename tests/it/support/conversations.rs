//! Conversations with customers, and the jobs that process them.

use std::sync::Arc;

use bindery::{
    app::App,
    areas::conversations::conversations::{CompareClusters, ProcessConversation},
};
use chrono::TimeDelta;
use entity::ids::OrganizationId;
use platform::jobs::{Kinds, Runner};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    client::Call,
    jobs::PATIENCE,
    world::{Person, World},
};

/// A question of a customer about the gripper, in several words.
pub const FINGERS: [&str; 3] = [
    "How do I change the fingers of the gripper?",
    "How can I change the worn fingers of my gripper?",
    "Where do I learn to change the fingers of a gripper?",
];

/// A question about something else.
pub const INVOICE: &str = "Why does the invoice for March show a wrong billing address?";

/// The same in other words.
pub const INVOICES: [&str; 2] = [
    "Why is the billing address of my invoice wrong?",
    "How do I correct the wrong billing address of an invoice?",
];

/// A conversation in which a customer asks, and gets an answer.
pub fn asking(id: &str, question: &str) -> Value {
    json!({ "id": id, "parts": [
        { "type": "message", "role": "user", "body": question },
        { "type": "message", "role": "team-member", "body": "Thank you for your message." },
    ] })
}

/// A runner of the jobs that find issues.
pub fn processing(app: &App) -> Runner {
    let kinds = Kinds::default().with(ProcessConversation(Arc::clone(&app.conversations)));
    Runner::new(app.kernel.jobs.clone(), kinds)
}

/// Finds the issues of the conversations that wait. Returns how many were processed.
pub async fn process(app: &App) -> usize {
    timeout(PATIENCE, processing(app).run_due()).await.unwrap().unwrap()
}

/// Adds a conversation with words that no other one has, and processes it: the path parameters of what comes of it.
pub async fn fill(
    app: &App,
    admin: &Person,
    organization: OrganizationId,
    number: usize,
) -> [(&'static str, String); 3] {
    let ingest = admin.client.call("ingestConversation").within(organization);
    let [verb, thing, place] = [0, 1, 2].map(|position| word(3 * number + position));
    let question = format!("How do I {verb} the {thing} of the {place}?");
    ingest
        .json(asking(&format!("ticket-{number}"), &question))
        .expect(204)
        .await;
    process(app).await;
    let list = admin.client.call("listConversationsIssues").within(organization);
    let list: Value = list.query("limit", 1).expect(200).await;
    let issue = &list["items"][0]["issue"];
    let id = |member: &str| issue[member].as_str().unwrap().to_owned();
    [
        ("conversationId", id("conversation")),
        ("issueId", id("id")),
        ("clusterId", id("cluster")),
    ]
}

/// A word of its own for each number up to 400.
fn word(number: usize) -> String {
    const SYLLABLES: [&str; 20] = [
        "bam", "cor", "dil", "fug", "gev", "hap", "jok", "kul", "lim", "nov", "pad", "rif", "sot", "tug", "vaz", "wex",
        "yip", "zol", "mux", "quo",
    ];
    format!("{}{}", SYLLABLES[number / 20 % 20], SYLLABLES[number % 20])
}

impl World {
    /// One more conversation with an issue and a cluster.
    pub async fn add_to_conversations(&self, number: usize) {
        // The world has one itself.
        fill(self.app(), &self.admin, self.organization, number + 1).await;
    }

    /// A call about conversations of the organization, by an admin.
    pub fn conversations_call(&self, operation: &str) -> Call<'_> {
        self.admin.client.call(operation).here(self)
    }

    pub async fn ingest(&self, body: Value) {
        self.conversations_call("ingestConversation")
            .json(body)
            .expect(204)
            .await;
    }

    /// Adds questions of customers, and finds their issues. Returns the ids of the conversations, in the order of the questions.
    pub async fn ask(&self, prefix: &str, questions: &[&str]) -> Vec<String> {
        let inputs = questions.iter().enumerate();
        let inputs = inputs.map(|(number, question)| asking(&format!("{prefix}-{number}"), question));
        let inputs: Vec<Value> = inputs.collect();
        self.ingest(json!(inputs)).await;
        assert_eq!(process(self.app()).await, questions.len());
        let list = self
            .conversations_call("listConversations")
            .query("limit", questions.len());
        let list: Value = list.expect(200).await;
        let ids = list["items"].as_array().unwrap().iter().rev();
        ids.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Compares the clusters that have changed, a minute later.
    pub async fn compare_clusters(&self) -> usize {
        self.clock().advance(TimeDelta::minutes(2));
        let app = self.app();
        let kinds = Kinds::default().with(CompareClusters(Arc::clone(&app.conversations)));
        let mut runner = Runner::new(app.kernel.jobs.clone(), kinds);
        timeout(PATIENCE, runner.run_due()).await.unwrap().unwrap()
    }

    /// The issues of a conversation.
    pub async fn issues_of(&self, conversation: &str) -> Vec<Value> {
        let list = self.conversations_call("listConversationsIssues");
        let list: Value = list.query("conversation", conversation).expect(200).await;
        let items = list["items"].as_array().unwrap().iter();
        items.map(|item| item["issue"].clone()).collect()
    }

    /// The cluster of the only issue of a conversation.
    pub async fn cluster_of(&self, conversation: &str) -> String {
        let [issue] = self.issues_of(conversation).await.try_into().unwrap();
        issue["cluster"].as_str().unwrap().to_owned()
    }

    pub async fn cluster(&self, id: &str) -> Value {
        let call = self.conversations_call("getConversationsIssuesCluster");
        call.path("clusterId", id).expect(200).await
    }

    pub async fn conversation(&self, id: &str) -> Value {
        let call = self.conversations_call("getConversationById");
        call.path("conversationId", id).expect(200).await
    }
}
