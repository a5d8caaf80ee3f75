package io.loligo.server.check;

import io.loligo.core.config.Line;
import io.loligo.core.config.RuleBook;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An {@code allow} or {@code deny} line and the list in which the first matching line decides.
 * Immutable.
 *
 * @param list directive and the words before the action, such as the name of a parent
 */
record ListedRule(String list, boolean allow, Line line, List<String> terms) {
  /** The lists of {@code book}, each in the order of its lines, without lines that are wrong. */
  static Collection<List<ListedRule>> lists(RuleBook book) {
    Map<String, List<ListedRule>> lists = new LinkedHashMap<>();
    for (RuleBook.Rule rule : book.rules()) {
      List<String> words = rule.line().words();
      int action = words.size() - rule.terms().size() - 1;
      boolean allow = action > 0 && words.get(action).equals("allow");
      if (rule.usable() && (allow || (action > 0 && words.get(action).equals("deny")))) {
        String list = String.join(" ", words.subList(0, action));
        ListedRule listed = new ListedRule(list, allow, rule.line(), rule.terms());
        lists.computeIfAbsent(list, name -> new ArrayList<>()).add(listed);
      }
    }
    return lists.values();
  }

  /** The line as in a report. */
  String text() {
    return list + (allow ? " allow " : " deny ") + String.join(" ", terms);
  }
}
