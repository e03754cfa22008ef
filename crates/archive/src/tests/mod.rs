mod hostile;
mod made;
mod usual;
