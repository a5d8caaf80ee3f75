package io.loligo.server.accesslog;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.Notes;
import io.loligo.server.record.ExchangeRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * One {@code note} line: a note that a finished request gets. Immutable; any thread.
 *
 * @param access the requests that get it
 */
record NoteRule(String name, String value, AclList access) {
  /**
   * Adds notes to {@code record}: of the lines of one name, the first whose ACLs match.
   *
   * @param rules lines of one name stand together
   */
  static void annotate(NoteRule[] rules, ExchangeRecord record, LoggedInput input) {
    String done = null;
    for (NoteRule rule : rules) {
      if (!rule.name.equals(done) && rule.access.evaluate(input.of(record)).allowed()) {
        Notes before = record.notes == null ? Notes.NONE : record.notes;
        record.notes = before.with(rule.name, rule.value);
        done = rule.name;
      }
    }
  }

  /** The rules in the order of their names' first lines. A new list. */
  static List<NoteRule> byName(List<NoteRule> rules) {
    List<NoteRule> sorted = new ArrayList<>();
    for (NoteRule first : rules) {
      if (sorted.stream().noneMatch(one -> one.name.equals(first.name))) {
        sorted.addAll(rules.stream().filter(one -> one.name.equals(first.name)).toList());
      }
    }
    return sorted;
  }
}
