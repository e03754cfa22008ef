//! The schemas in a schema, and what is told of it besides.

use super::{Keyword, Views, own::shown_value};
use crate::changes::{
    Rule,
    comparison::{Comparison, UnitKind},
    effects::{Effect, Uses},
    frame::{Frame, shown},
    node::Node,
};

impl<'d> Comparison<'d> {
    pub(super) fn children(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, uses: Uses) {
        if views.before.never.is_some() || views.after.never.is_some() {
            return;
        }
        for name in views.names() {
            if !self.budget.take(1) {
                return;
            }
            match Keyword::of(name) {
                Keyword::Text => self.text_keyword(frame, views, name),
                Keyword::Deprecated => self.deprecated(frame, views, uses),
                Keyword::Default => self.default_value(frame, views, name, uses),
                Keyword::Properties => self.common_properties(frame, views, uses),
                Keyword::Conditions => self.common_conditions(frame, views, name, uses),
                Keyword::Condition => self.common_condition(frame, views, name, uses),
                Keyword::Tuple => self.common_items(frame, views, name, uses),
                Keyword::Alternatives => self.alternatives(frame, views, name, uses),
                Keyword::Hidden => self.hidden(frame, views, name, uses),
                Keyword::Unknown => self.unknown_keyword(frame, views, name, uses),
                _ => {}
            }
        }
    }

    /// Returns whether the values of a keyword differ, wherever they stand.
    fn keyword_differs(
        &mut self,
        frame: &mut Frame<'d>,
        views: &Views<'d>,
        name: &str,
        kind: Option<UnitKind>,
        uses: Uses,
    ) -> bool {
        let (before, after) = (views.before.get(name), views.after.get(name));
        let mut pairs = before.iter().zip(after);
        before.len() != after.len() || pairs.any(|(one, other)| self.differ(frame, (one, other), kind, uses))
    }

    fn text_keyword(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, name: &str) {
        if self.keyword_differs(frame, views, name, None, Uses::ALL) {
            let verdict = (Rule::Documentation, Effect::None);
            self.tell_keyword(frame, views, name, verdict, Uses::ALL, || {
                format!("`{name}` is another one.")
            });
        }
    }

    fn deprecated(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, uses: Uses) {
        let (was, is) = (views.before.is_true("deprecated"), views.after.is_true("deprecated"));
        if was != is {
            let verdict = (Rule::Deprecated, Effect::None);
            self.tell_keyword(frame, views, "deprecated", verdict, uses, || match is {
                true => "The value is deprecated.".to_owned(),
                false => "The value is not deprecated any more.".to_owned(),
            });
        }
    }

    /// Those who send nothing get something else, whatever that means for them.
    fn default_value(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, name: &str, uses: Uses) {
        if self.keyword_differs(frame, views, name, None, uses) {
            let value = |nodes: &[Node<'d>]| shown_value(nodes.first().map(|node| node.value));
            let (before, after) = (value(views.before.get(name)), value(views.after.get(name)));
            let verdict = (Rule::Default, Effect::Unknown);
            self.tell_keyword(frame, views, name, verdict, uses.without_responses(), || {
                format!("The default was {before}, and is {after}.")
            });
        }
    }

    fn common_properties(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, uses: Uses) {
        let before = views.before.children(&mut self.budget, "properties");
        let mut after = views.after.children(&mut self.budget, "properties");
        for (name, former) in before {
            let Some(found) = after.remove(name) else { continue };
            let were = self.directions(Some(&former), true, uses);
            let are = self.directions(Some(&found), false, uses);
            self.schemas(frame, former, found, were.and(are));
        }
    }

    fn common_conditions(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, keyword: &str, uses: Uses) {
        let before = views.before.children(&mut self.budget, keyword);
        let mut after = views.after.children(&mut self.budget, keyword);
        for (name, former) in before {
            if let Some(found) = after.remove(name) {
                self.schemas(frame, former, found, uses);
            }
        }
    }

    fn common_condition(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, name: &str, uses: Uses) {
        let (before, after) = (views.before.get(name), views.after.get(name));
        // Lists of schemas in `items` come from versions of the format that are no more.
        if before.iter().chain(after).any(|node| node.value.is_array()) {
            return self.hidden(frame, views, name, uses);
        }
        if !before.is_empty() && !after.is_empty() && !super::view::is_open(before) && !super::view::is_open(after) {
            self.schemas(frame, before.to_vec(), after.to_vec(), uses);
        }
    }

    fn common_items(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, name: &str, uses: Uses) {
        let ([before], [after]) = (views.before.get(name), views.after.get(name)) else {
            return self.hidden(frame, views, name, uses);
        };
        for (former, found) in before.items().zip(after.items()) {
            self.schemas(frame, vec![former], vec![found], uses);
        }
    }

    /// Schemas whose changes nobody judges.
    pub(super) fn hidden(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, name: &str, uses: Uses) {
        if self.keyword_differs(frame, views, name, Some(UnitKind::Schema), uses) {
            self.tell_keyword(frame, views, name, (Rule::Other, Effect::Unknown), uses, || {
                format!("{} is another one.", shown(name))
            });
        }
    }

    pub(super) fn unknown_keyword(&mut self, frame: &mut Frame<'d>, views: &Views<'d>, name: &str, uses: Uses) {
        if self.keyword_differs(frame, views, name, Some(UnitKind::Other), uses) {
            self.tell_keyword(frame, views, name, (Rule::Other, Effect::Unknown), uses, || {
                format!("{} is another one.", shown(name))
            });
        }
    }
}
