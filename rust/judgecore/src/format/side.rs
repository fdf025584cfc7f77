//! A guard's format for the other side of the conversation.

use std::sync::Arc;

use super::declaration::{Declaration, Side};
use super::example::{Expected, Literal};
use super::{Format, FormatError, builtin};

impl Format {
    /// The format of the same guard where it was asked about this side.
    ///
    /// # Errors
    ///
    /// [`FormatError::Unknown`] if it is no guard, or one that does not judge this side.
    pub fn judging(self: &Arc<Self>, side: Side) -> Result<Arc<Self>, FormatError> {
        let Some(own) = self.side() else {
            let problem = format!("format {:?} is no guard, so it judges no side; leave it out", self.id);
            return Err(FormatError::Unknown(problem));
        };
        if own == side {
            return Ok(Arc::clone(self));
        }
        let is_builtin = builtin::find(&self.id).is_some_and(|known| Arc::ptr_eq(&known, self));
        let stem = self.stem();
        let names = [format!("{stem}.{}", side.name()), stem.to_owned()];
        let known = names.iter().filter(|_| is_builtin).filter_map(|name| builtin::find(name));
        if let Some(sibling) = known.into_iter().find(|format| format.side() == Some(side)) {
            return Ok(sibling);
        }
        match self.turned() {
            Some(turned) => turned.map(Arc::new),
            None => Err(FormatError::Unknown(format!(
                "format {:?} judges the {} alone and not the {}",
                self.id,
                own.name(),
                side.name()
            ))),
        }
    }

    /// The same format asked about the other side, if the guard answers about either.
    pub(super) fn turned(&self) -> Option<Result<Self, FormatError>> {
        let guard = self.declaration.guard.as_ref()?;
        let side = match guard.subject {
            Side::Prompt => Side::Response,
            Side::Response => Side::Prompt,
        };
        let has_both = guard.answers.iter().any(|answer| answer.side == Some(side));
        if !(guard.either_side || has_both) {
            return None;
        }
        let mut examples = self.declaration.examples.clone();
        if has_both {
            // What they say of the one side is not what they say of the other.
            examples.clear();
        }
        for example in &mut examples {
            let outcomes = [&mut example.lenient, &mut example.strict].into_iter().chain(&mut example.paper);
            for said in outcomes {
                if let Expected::Value(Literal::Table(said)) = said
                    && let Some(verdict) = said.shift_remove(&format!("{}_unsafe", guard.subject.name()))
                {
                    said.insert(format!("{}_unsafe", side.name()), verdict);
                }
            }
        }
        let mut guard = guard.clone();
        guard.subject = side;
        if !has_both {
            guard.answers.iter_mut().filter_map(|answer| answer.side.as_mut()).for_each(|own| *own = side);
        }
        let (id, guard) = (format!("{}.{}", self.stem(), side.name()), Some(guard));
        let declaration = Declaration { id, aliases: Vec::new(), examples, guard, ..self.declaration.clone() };
        let (title, evidence, sources) = (self.title.clone(), self.evidence, self.sources.clone());
        Some(Self::compile(declaration).map(|turned| Self { title, evidence, sources, ..turned }))
    }

    /// The format's name without the side.
    fn stem(&self) -> &str {
        let sides = [".prompt", ".response"];
        sides.iter().find_map(|side| self.id.strip_suffix(side)).unwrap_or(&self.id)
    }
}
