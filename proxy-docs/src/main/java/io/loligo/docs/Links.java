package io.loligo.docs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;

/** The links of all pages: where they lead, those that lead nowhere, and those to other sites. */
final class Links {
  private final Path root;
  private final Map<String, Page> pages;
  private final List<String> problems;
  private final TreeMap<String, String> files = new TreeMap<>();
  private final TreeSet<String> external = new TreeSet<>();

  /**
   * @param pages by path
   * @param problems gets each link that leads nowhere
   */
  Links(Path root, Map<String, Page> pages, List<String> problems) {
    this.root = root;
    this.pages = pages;
    this.problems = problems;
  }

  /** Files that pages link to, by their path in the repository: their path in the site. */
  Map<String, String> files() {
    return files;
  }

  /** Addresses of other sites. */
  Collection<String> external() {
    return external;
  }

  /** Markdown files of the repository that a part of the page links to. */
  Collection<String> markdownOf(Page page, Node part) {
    TreeSet<String> found = new TreeSet<>();
    part.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Link link) {
            String path = resolve(page, link.getDestination());
            if (path.endsWith(".md") && Files.isRegularFile(root.resolve(path))) {
              found.add(path);
            }
          }
        });
    return found;
  }

  private static boolean isExternal(String destination) {
    return destination.matches("(?i)(https?:|mailto:).*");
  }

  /** The path in the repository, or an empty text for a link within the page or to another site. */
  private static String resolve(Page page, String destination) {
    String file = destination.split("#", 2)[0];
    if (file.isEmpty() || isExternal(destination)) {
      return "";
    }
    Path path = Path.of("/", page.path()).resolveSibling(file).normalize();
    return Path.of("/").relativize(path).toString().replace('\\', '/');
  }

  /** Makes the links of a page those of the site. All pages are read. */
  void change(Page page) {
    page.document()
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(Link link) {
                visitChildren(link);
                change(page, link);
              }

              @Override
              public void visit(Image image) {
                String path = resolve(page, image.getDestination());
                if (!Files.isRegularFile(root.resolve(path)) || path.isEmpty()) {
                  problems.add(page.path() + ": no image of this repository: " + path);
                }
                files.put(path, path);
              }

              @Override
              public void visit(HtmlBlock html) {
                refuse(page, html.getLiteral());
                html.unlink();
              }

              @Override
              public void visit(HtmlInline html) {
                refuse(page, html.getLiteral());
                html.unlink();
              }
            });
  }

  private void refuse(Page page, String html) {
    if (!html.startsWith("<!--")) {
      problems.add(page.path() + ": HTML: " + html);
    }
  }

  private void change(Page page, Link link) {
    String destination = link.getDestination();
    if (isExternal(destination)) {
      external.add(destination);
      return;
    }
    String path = resolve(page, destination);
    String[] parts = destination.split("#", 2);
    Page target = path.isEmpty() ? page : pages.get(path);
    if (target != null) {
      if (parts.length == 2 && !target.anchors().containsValue(parts[1])) {
        problems.add(page.path() + ": no such heading: " + destination);
      }
      if (Page.text(link).matches("(\\S+/)?" + Path.of(target.path()).getFileName())) {
        while (link.getFirstChild() != null) {
          link.getFirstChild().unlink();
        }
        link.appendChild(new Text(target.title()));
      }
      String anchor = parts.length == 2 ? "#" + parts[1] : "";
      link.setDestination(
          (path.isEmpty() ? "" : relative(page.htmlPath(), target.htmlPath())) + anchor);
    } else if (Files.isRegularFile(root.resolve(path))) {
      String copy = path.matches(".*\\.(svg|png|html)") ? path : path + ".txt";
      files.put(path, copy);
      link.setDestination(relative(page.htmlPath(), copy));
    } else if (Files.isDirectory(root.resolve(path))) {
      unwrap(link); // a folder has no page
    } else {
      problems.add(page.path() + ": no such file: " + destination);
    }
  }

  private static void unwrap(Link link) {
    for (Node child = link.getFirstChild(); child != null; child = link.getFirstChild()) {
      link.insertBefore(child);
    }
    link.unlink();
  }

  /** The address of {@code to} for a page at {@code from}, both in the site. */
  static String relative(String from, String to) {
    Path folder = Path.of("/", from).resolveSibling("");
    return folder.relativize(Path.of("/", to)).toString().replace('\\', '/');
  }
}
