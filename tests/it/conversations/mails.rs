//! Messages as mail programs send them: words in angle brackets, quotations of earlier mails, signatures, personal data.

use serde_json::{Value, json};

use crate::support::{
    chat::ChatEndpoint,
    conversations::{asking, process},
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    words_in_angle_brackets_stay,
    quotations_and_signatures_are_no_issues,
    personal_data_is_masked,
    the_model_gets_no_personal_data,
    thanks_are_no_issues,
];

/// Adds a message, and finds its issues. Returns it as it is stored, with titles and summaries of its issues.
async fn stored(world: &World, key: &str, body: &str) -> (String, String) {
    world.ingest(asking(key, body)).await;
    assert_eq!(process(world.app()).await, 1);
    let list = world.conversations_call("listConversations").query("limit", 1);
    let list: Value = list.expect(200).await;
    let id = list["items"][0]["id"].as_str().unwrap();
    let read = world.conversation(id).await;
    let issues = world.issues_of(id).await;
    let texts = issues.iter().flat_map(|issue| [&issue["title"], &issue["summary"]]);
    (
        read["parts"][0]["body"].as_str().unwrap().to_owned(),
        texts.map(|text| text.as_str().unwrap()).collect::<Vec<_>>().join("\n"),
    )
}

async fn words_in_angle_brackets_stay(database: TestDatabase) {
    let world = World::new(database).await;
    for (number, (body, words)) in [
        (
            "I get <Invalid token> when I send <your api key> in the header. Why?",
            &["<Invalid token>", "<your api key>"][..],
        ),
        (
            "<Error 500> appears when I export a page. How do I fix this?",
            &["<Error 500>"][..],
        ),
        ("The pump stops if a<b and c>d. Is this a bug?", &["a<b and c>d"][..]),
        (
            "List<String> names = load(); does not compile. Which version do I need?",
            &["List<String>"][..],
        ),
        (
            "Put <host>:<port> in the settings. It does not work, why?",
            &["<host>:<port>"][..],
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let (stored, issues) = stored(&world, &format!("words-{number}"), body).await;
        assert_eq!(stored, body);
        for word in words {
            assert!(issues.contains(word), "{word}: {issues}");
        }
    }
    // Beside tags, they are escaped.
    let body = "Why is <your api key> <b>never</b> accepted by <x onclick=alert(1)>?";
    let (stored, issues) = stored(&world, "tags", body).await;
    assert!(
        stored.contains("&lt;your api key&gt; <b>never</b>") && !stored.contains("<x"),
        "{stored}"
    );
    assert!(issues.contains("Why is <your api key> never accepted"), "{issues}");
}

async fn quotations_and_signatures_are_no_issues(database: TestDatabase) {
    let world = World::new(database).await;
    let quoted = "Could you tell us why the invoice failed?";
    for (number, mail) in [
        format!("The webhook never fires.\n\nOn Tuesday, Support wrote:\n\n> {quoted}\n> Please reset your password.\n"),
        format!(
            "The webhook never fires.\n\nOn Tue, Nov 3, 2026 at 10:12 AM Support Team of the Vendor\n<support@vendor.example> wrote:\n\n> {quoted}\n"
        ),
        format!("The webhook never fires.\n\nOp di 3 nov 2026 om 10:12 schreef Support <support@vendor.example>:\n\n{quoted}\n"),
        format!(
            "The webhook never fires.\n\nFrom: Support Team <support@vendor.example>\nSent: Tuesday, November 3, 2026 10:12 AM\n\
             To: Maria <maria@client.example>\nSubject: RE: invoice\n\nHello Maria,\n\n{quoted}\n"
        ),
        format!("The webhook never fires.\n\n-----Ursprüngliche Nachricht-----\nVon: Support\n\n{quoted}\n"),
        format!("The webhook never fires.\n\n--\nMaria Silva\n{quoted}\n"),
        format!("The webhook never fires.\n\n-- \nMaria Silva\n{quoted}\n"),
        format!("<p>The webhook never fires.</p><blockquote><p>{quoted}</p><blockquote>Older</blockquote></blockquote>"),
        format!("<div>The webhook never fires.</div><div><b>From:</b> Support<br><b>Sent:</b> Tuesday<br><b>Subject:</b> invoice</div><p>{quoted}</p>"),
        format!("The webhook <b>never</b> fires.\n\nOn Tuesday, Support wrote:\n> {quoted}\n\n--\nMaria\n{quoted}\n"),
    ]
    .iter()
    .enumerate()
    {
        let (stored, issues) = stored(&world, &format!("mail-{number}"), mail).await;
        assert!(issues.contains("The webhook never fires."), "{mail}: {issues}");
        for word in ["invoice", "password", "wrote", "Subject", "Maria"] {
            assert!(!issues.contains(word), "{mail}: {issues}");
        }
        assert!(stored.contains("invoice"), "{stored}");
    }
}

const PERSONAL: &str = "Why is the export refused for jan@client.example? My password is hunter2. The token \
    ghp_16C7e42F292c6912E7710c838347Ae178B4a and the card 4111 1111 1111 1111 are refused in the export, call +49 30 1234567.";

const SECRETS: [&str; 5] = ["client.example", "hunter2", "ghp_", "4111", "1234567"];

async fn personal_data_is_masked(database: TestDatabase) {
    let world = World::new(database).await;
    let (stored, issues) = stored(&world, "personal", PERSONAL).await;
    assert_eq!(stored, PERSONAL);
    assert!(issues.contains("Why is the export refused for •••?"), "{issues}");
    let clusters = world.conversations_call("listConversationsIssuesClusters");
    let clusters = clusters.send().await.text;
    for secret in SECRETS {
        assert!(
            !issues.contains(secret) && !clusters.contains(secret),
            "{secret}: {issues}"
        );
    }
}

async fn the_model_gets_no_personal_data(database: TestDatabase) {
    let endpoint = ChatEndpoint::start().await;
    let world = World::with(database, |flags| {
        flags.conversations_url = Some(endpoint.url.clone());
        flags.conversations_model = Some("tide-1".to_owned());
    })
    .await;
    endpoint.take();
    endpoint.answer_issues(&[["Export refused", "It is refused for jan@client.example."]], 100);
    let mut input = asking("model", PERSONAL);
    input["subject"] = json!("Export of jan@client.example");
    world.ingest(input).await;
    assert_eq!(process(world.app()).await, 1);
    let [request] = endpoint.take().try_into().unwrap();
    let body = request.json();
    let sent = body["messages"][1]["content"].as_str().unwrap();
    assert!(sent.contains("Why is the export refused for •••?"), "{sent}");
    for secret in SECRETS {
        assert!(!sent.contains(secret), "{secret}: {sent}");
    }
    let list = world.conversations_call("listConversationsIssues").query("limit", 1);
    let list: Value = list.expect(200).await;
    assert_eq!(list["items"][0]["issue"]["summary"], "It is refused for •••.");
}

async fn thanks_are_no_issues(database: TestDatabase) {
    let world = World::new(database).await;
    for (number, body) in [
        "All good!",
        "Thanks, that fixed the error!",
        "Alles gut, danke!",
        "Merci, ça marche.",
    ]
    .iter()
    .enumerate()
    {
        let (_, issues) = stored(&world, &format!("thanks-{number}"), body).await;
        assert_eq!(issues, "", "{body}");
    }
}
