//! Providers that change while somebody signs in.

use entity::{ids::SamlProviderId, organizations::saml_providers};
use platform::db::Tx;
use saml::testing::{FIRST, SECOND};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::json;

use crate::support::{
    browser::{Browser, location},
    database::{TestDatabase, on_each_database},
    saml::{answer_to, set_up},
    world::World,
};

on_each_database![
    a_provider_that_is_set_back_signs_nobody_in,
    answers_end_with_the_certificate_that_proved_them,
];

async fn a_provider_that_is_set_back_signs_nobody_in(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    let request = browser.begin(&provider).await;
    let answer = answer_to(&world, &provider, &request, "nadia").signed(FIRST);
    let finish = location(&browser.answer(&provider, &answer, &request).await);
    let id: SamlProviderId = provider["id"].as_str().unwrap().parse().unwrap();
    let work = move |tx: Tx| async move {
        let without = saml_providers::Entity::update_many();
        let without = without.col_expr(saml_providers::Column::Certificate, Expr::value(""));
        without.filter(saml_providers::Column::Id.eq(id)).exec(&tx).await
    };
    world.app().kernel.db.write(work).await.unwrap();
    assert_eq!(browser.get(&finish).await.status(), 400);
    browser.page("/account/", 401).await;
}

async fn answers_end_with_the_certificate_that_proved_them(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    for (change, status) in [
        (json!({ "label": "Renamed" }), 303),
        (json!({ "certificate": SECOND.certificate }), 400),
    ] {
        let mut browser = Browser::new(&world);
        let request = browser.begin(&provider).await;
        let answer = answer_to(&world, &provider, &request, "nadia").signed(FIRST);
        let finish = location(&browser.answer(&provider, &answer, &request).await);
        let call = world.admin.client.call("updateOrganizationSAMLProvider").here(&world);
        let call = call.path("samlProviderId", provider["id"].as_str().unwrap());
        call.json(change).expect(200).await;
        assert_eq!(browser.get(&finish).await.status(), status);
    }
}
