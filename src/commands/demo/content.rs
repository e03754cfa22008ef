//! The organization of the demo, made by calls of the API. The texts are in `content/`.

use serde_json::{Value, json};

use super::people::People;
use crate::commands::api::{Caller, id, text};

/// Includes texts of a folder of `content/`, by their names.
macro_rules! texts {
    ($folder:literal: $($name:literal)*) => {
        &[$(($name, include_str!(concat!("content/", $folder, "/", $name, ".md"))),)*]
    };
}

type Texts = &'static [(&'static str, &'static str)];

const GUIDE: Texts = texts!["guide": "welcome" "mounting" "sensors" "calibration" "troubleshooting"];
const GERMAN_GUIDE: Texts = texts!["anleitung": "willkommen" "mast" "sensoren"];
const HANDBOOK: Texts = texts!["handbook": "first-week" "on-call"];

const MOUNTING_DEPTH: &str = include_str!("content/mounting-depth.md");
const RAIN: &str = include_str!("content/rain.md");
const WIND_DIRECTION: &str = include_str!("content/wind-direction.md");
const READINGS: &str = include_str!("content/readings.yaml");

/// The addresses to open next.
pub struct Opened {
    pub space: String,
    pub change_request: String,
    pub site: String,
}

pub async fn fill(admin: &Caller, people: &People, organization: &str) -> anyhow::Result<Opened> {
    let organization = format!("orgs/{organization}");
    admin
        .patch(&organization, json!({ "title": "Kestrel Weather" }))
        .await?;
    let team = [&people.tomas, &people.yuki].map(|person| person.id.to_string());
    let team = json!({ "title": "Field technicians", "members": team });
    let team = admin.put(&format!("{organization}/teams"), team).await?;

    let collection = json!({ "title": "Station guides" });
    let collection = admin.post(&format!("{organization}/collections"), collection).await?;
    let guides = Some(id(&collection)?);
    let guide = space(admin, &organization, ("Station guide", "1f9ed", "en", guides), GUIDE).await?;
    let german = ("Anleitung der Station", "1f9ed", "de", guides);
    let german = space(admin, &organization, german, GERMAN_GUIDE).await?;
    let handbook = space(admin, &organization, ("Team handbook", "1f4d5", "en", None), HANDBOOK).await?;
    // The team alone reads it.
    admin.patch(&handbook.path, json!({ "defaultLevel": null })).await?;
    let permission = json!({ "teams": [id(&team)?], "role": "edit" });
    admin
        .post(&format!("{}/permissions", handbook.path), permission)
        .await?;

    let source = json!({ "slug": "readings", "source": { "text": READINGS } });
    admin.post(&format!("{organization}/openapi"), source).await?;
    let computed = json!({
        "type": "builtin:openapi",
        "dependencies": { "spec": { "ref": { "kind": "openapi", "spec": "readings" } } },
    });
    let reference = json!({ "title": "API reference", "emoji": "1f50c", "language": "en", "computedSource": computed });
    let reference = Space::of(&admin.post(&format!("{organization}/spaces"), reference).await?)?;

    let change_request = open_change_request(people, &guide).await?;
    merge_change_request(people, &guide).await?;
    change_request_of(
        &people.tomas.caller,
        &german,
        "Windrichtung erklären",
        json!([insert("windrichtung", WIND_DIRECTION)]),
    )
    .await?;
    comment(people, &guide).await?;
    Ok(Opened {
        site: publish(admin, &organization, (&guide, &german, &reference)).await?,
        space: guide.opened,
        change_request,
    })
}

struct Space {
    id: String,
    path: String,
    opened: String,
}

impl Space {
    fn of(response: &Value) -> anyhow::Result<Self> {
        let id = id(response)?.to_owned();
        Ok(Self {
            path: format!("spaces/{id}"),
            id,
            opened: text(response, "/urls/app")?.to_owned(),
        })
    }
}

/// Creates a space with a page for each text.
async fn space(
    admin: &Caller,
    organization: &str,
    (title, emoji, language, parent): (&str, &str, &str, Option<&str>),
    texts: Texts,
) -> anyhow::Result<Space> {
    let mut body = json!({ "title": title, "emoji": emoji, "language": language, "empty": true });
    if let (Some(parent), Some(members)) = (parent, body.as_object_mut()) {
        members.insert("parent".to_owned(), parent.into());
    }
    let space = Space::of(&admin.post(&format!("{organization}/spaces"), body).await?)?;
    let pages: Vec<Value> = texts.iter().map(|(name, text)| insert(name, text)).collect();
    let pages = json!({ "changes": pages });
    admin.post(&format!("{}/content", space.path), pages).await?;
    Ok(space)
}

/// Other texts of the request link to the page by its name.
fn insert(name: &str, text: &str) -> Value {
    json!({ "operation": "insert_page", "ref": name, "document": { "markdown": text } })
}

/// Creates a change request, and returns its path and the response.
async fn change_request_of(
    author: &Caller,
    space: &Space,
    subject: &str,
    changes: Value,
) -> anyhow::Result<(String, Value)> {
    let all = format!("{}/change-requests", space.path);
    let created = author.post(&all, json!({ "subject": subject })).await?;
    let path = format!("{all}/{}", id(&created)?);
    let changes = json!({ "changes": changes });
    author.post(&format!("{path}/content"), changes).await?;
    Ok((path, created))
}

/// A change request that waits for a review. Returns its address.
async fn open_change_request(people: &People, guide: &Space) -> anyhow::Result<String> {
    let (tomas, yuki) = (&people.tomas.caller, &people.yuki.caller);
    let page = tomas
        .get(&format!("{}/content/path/mounting-the-mast", guide.path))
        .await?;
    let page = id(&page)?;
    let changes = json!([{ "operation": "update_page", "page": page, "document": { "markdown": MOUNTING_DEPTH } }]);
    let (path, created) = change_request_of(tomas, guide, "Say how deep the hole is", changes).await?;
    tomas.patch(&path, json!({ "status": "open" })).await?;
    let reviewers = json!({ "users": [people.mira.id.to_string()] });
    tomas.post(&format!("{path}/requested-reviewers"), reviewers).await?;
    let question = "Is 80 cm enough in the north, where the ground freezes deeper?";
    let question = json!({ "page": page, "body": { "markdown": question } });
    let question = yuki.post(&format!("{path}/comments"), question).await?;
    let reply = json!({ "body": { "markdown": "Up to the **62nd** parallel. I will add a table for the rest." } });
    tomas
        .post(&format!("{path}/comments/{}/replies", id(&question)?), reply)
        .await?;
    Ok(text(&created, "/urls/app")?.to_owned())
}

/// A change request that was approved and merged.
async fn merge_change_request(people: &People, guide: &Space) -> anyhow::Result<()> {
    let (mira, yuki) = (&people.mira.caller, &people.yuki.caller);
    let changes = json!([insert("rain", RAIN)]);
    let (path, _) = change_request_of(yuki, guide, "Explain how to clean the rain gauge", changes).await?;
    yuki.patch(&path, json!({ "status": "open" })).await?;
    let review = json!({ "status": "approved", "comment": { "markdown": "Short and clear. Thank you!" } });
    mira.post(&format!("{path}/reviews"), review).await?;
    mira.post(&format!("{path}/merge"), Value::Null).await?;
    Ok(())
}

/// A comment on a page of a space.
async fn comment(people: &People, guide: &Space) -> anyhow::Result<()> {
    let yuki = &people.yuki.caller;
    let page = format!("{}/content/path/troubleshooting", guide.path);
    let page = yuki.get(&page).await?;
    let body = "Customers ask about a blue lamp since the last firmware. What does it mean?";
    let comment = json!({ "page": id(&page)?, "body": { "markdown": body } });
    yuki.post(&format!("{}/comments", guide.path), comment).await?;
    Ok(())
}

/// A site with a section for the guide in two languages, and one for the specification. Returns its address.
async fn publish(
    admin: &Caller,
    organization: &str,
    (guide, german, reference): (&Space, &Space, &Space),
) -> anyhow::Result<String> {
    let site = json!({ "title": "Kestrel Weather" });
    let site = admin.post(&format!("{organization}/sites"), site).await?;
    let site = format!("{organization}/sites/{}", id(&site)?);
    let sections = format!("{site}/sections");
    let section = json!({ "spaceId": guide.id, "title": "Guide" });
    let section = admin.post(&sections, section).await?;
    let german = json!({ "spaceId": german.id, "sectionId": id(&section)? });
    admin.post(&format!("{site}/site-spaces"), german).await?;
    admin
        .post(&sections, json!({ "spaceId": reference.id, "title": "API" }))
        .await?;
    let published = admin.post(&format!("{site}/publish"), Value::Null).await?;
    Ok(text(&published, "/urls/published")?.to_owned())
}
