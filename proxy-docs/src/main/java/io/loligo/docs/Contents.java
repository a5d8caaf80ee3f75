package io.loligo.docs;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.CustomNode;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;

/** The pages by kind, as the tables of {@code docs/README.md} have them. Immutable. */
record Contents(Map<String, List<String>> sections) {
  /** Reads the index before its links are changed. */
  static Contents of(Page index, Links links) {
    Map<String, List<String>> sections = new LinkedHashMap<>();
    index
        .document()
        .accept(
            new AbstractVisitor() {
              private List<String> section = new ArrayList<>();

              @Override
              public void visit(Heading heading) {
                if (heading.getLevel() == 2) {
                  section = new ArrayList<>();
                  sections.put(Page.text(heading), section);
                }
              }

              @Override
              public void visit(CustomNode node) {
                if (node instanceof TableRow && node.getFirstChild() instanceof TableCell cell) {
                  if (cell.getFirstChild() instanceof Link link) {
                    section.addAll(links.markdownOf(index, link));
                  }
                } else {
                  visitChildren(node);
                }
              }
            });
    return new Contents(sections);
  }

  Collection<String> paths() {
    return sections.values().stream().flatMap(List::stream).toList();
  }
}
