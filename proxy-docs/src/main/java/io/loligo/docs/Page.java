package io.loligo.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;

/**
 * A Markdown file of the repository, with the anchors of its headings. Its links may be changed.
 */
final class Page {
  private static final Parser PARSER =
      Parser.builder().extensions(List.of(TablesExtension.create())).build();

  private final String path;
  private final Node document;
  private final Map<Heading, String> anchors = new LinkedHashMap<>();

  private Page(String path, Node document) {
    this.path = path;
    this.document = document;
    Map<String, Integer> used = new HashMap<>();
    document.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Heading heading) {
            String slug = slug(text(heading));
            int before = used.merge(slug, 1, Integer::sum) - 1;
            anchors.put(heading, before == 0 ? slug : slug + "-" + before);
          }
        });
  }

  /** The page of {@code path}, which is relative to {@code root} and has slashes. */
  static Page read(Path root, String path) throws IOException {
    return new Page(path, PARSER.parse(Files.readString(root.resolve(path))));
  }

  String path() {
    return path;
  }

  Node document() {
    return document;
  }

  /** The anchors by heading, in the order of the page. */
  Map<Heading, String> anchors() {
    return anchors;
  }

  /** The text of the first heading, or the path of a page without one. */
  String title() {
    return anchors.isEmpty() ? path : text(anchors.keySet().iterator().next());
  }

  /** Where the site has this page: README becomes the index of its folder. */
  String htmlPath() {
    return htmlPath(path);
  }

  static String htmlPath(String path) {
    return path.replaceFirst("(^|/)README\\.md$", "$1index.md").replaceFirst("\\.md$", ".html");
  }

  /** The anchor that readers of Markdown on the web expect for a heading. */
  static String slug(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
  }

  /** The text of a node without its markup. */
  static String text(Node node) {
    StringBuilder text = new StringBuilder();
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(SoftLineBreak lineBreak) {
            text.append(' ');
          }
        });
    return text.toString();
  }
}
