package io.loligo.docs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.Node;
import org.commonmark.renderer.html.AttributeProvider;
import org.commonmark.renderer.html.HtmlRenderer;

/** The HTML of a page, with the contents of the site beside it. Immutable. */
final class PageHtml {
  /** Fewer headings need no list of them. */
  private static final int LISTED_HEADINGS = 4;

  private final Map<String, Page> pages;
  private final Contents contents;
  private final String style;
  private final String policy;

  /**
   * @param pages by path
   */
  PageHtml(Map<String, Page> pages, Contents contents) {
    this.pages = pages;
    this.contents = contents;
    this.style = resource("site.css");
    this.policy =
        "default-src 'none'; style-src 'sha256-%s'; img-src 'self'; base-uri 'none'; form-action 'none'"
            .formatted(sha256(style));
  }

  private static String resource(String name) {
    try (InputStream in = PageHtml.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("missing: " + name);
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha256(String text) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The whole document of a page whose links have been changed. */
  String of(Page page) {
    String title = page.path().equals("README.md") ? "Loligo" : page.title() + " – Loligo";
    String home = Links.relative(page.htmlPath(), "index.html");
    return """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="%s">
    <meta name="referrer" content="no-referrer">
    <title>%s</title>
    <style>%s</style>
    </head>
    <body>
    <header><a href="%s">Loligo</a> <a class="jump" href="#contents">All pages</a></header>
    <main>
    %s%s</main>
    <nav id="contents" aria-label="All pages">
    %s</nav>
    </body>
    </html>
    """
        .formatted(
            policy, escape(title), style, home, headings(page), content(page), contents(page));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  private String content(Page page) {
    page.document().accept(new Folding());
    return HtmlRenderer.builder()
        .extensions(List.of(TablesExtension.create()))
        .attributeProviderFactory(context -> attributes(page))
        .build()
        .render(page.document());
  }

  private static AttributeProvider attributes(Page page) {
    return (node, tag, attributes) -> {
      if (node instanceof Heading heading) {
        attributes.put("id", page.anchors().getOrDefault(heading, ""));
      } else if (node instanceof TableBlock && tag.equals("table") && columns(node) > 2) {
        attributes.put("class", "wide");
      } else if (tag.equals("pre")) {
        attributes.put("tabindex", "0"); // it scrolls, so the keyboard must reach it
      }
    };
  }

  /** Folds diagrams: their text says less than the picture that a program makes of it. */
  private static final class Folding extends AbstractVisitor {
    @Override
    public void visit(FencedCodeBlock code) {
      if (code.getInfo().equals("mermaid")) {
        code.insertBefore(html("<details><summary>Diagram, as text for Mermaid</summary>"));
        code.insertAfter(html("</details>"));
      }
    }

    private static HtmlBlock html(String literal) {
      HtmlBlock block = new HtmlBlock();
      block.setLiteral(literal);
      return block;
    }
  }

  private static int columns(Node table) {
    int columns = 0;
    Node cell = table.getFirstChild().getFirstChild().getFirstChild();
    for (; cell != null; cell = cell.getNext()) {
      columns++;
    }
    return columns;
  }

  private static String headings(Page page) {
    StringBuilder list = new StringBuilder();
    int number = 0;
    for (Map.Entry<Heading, String> each : page.anchors().entrySet()) {
      if (each.getKey().getLevel() == 2) {
        number++;
        String text = escape(Page.text(each.getKey()));
        list.append("<li><a href=\"#%s\">%s</a></li>\n".formatted(each.getValue(), text));
      }
    }
    return number < LISTED_HEADINGS
        ? ""
        : "<details class=\"headings\"><summary>On this page</summary><ul>\n"
            + list
            + "</ul></details>\n";
  }

  private String contents(Page page) {
    StringBuilder list = new StringBuilder();
    for (Map.Entry<String, List<String>> section : contents.sections().entrySet()) {
      list.append("<h2>").append(escape(section.getKey())).append("</h2>\n<ul>\n");
      for (String path : section.getValue()) {
        Page other = pages.get(path);
        if (other != null) {
          String current = other == page ? " aria-current=\"page\"" : "";
          String address = Links.relative(page.htmlPath(), other.htmlPath());
          list.append(
              "<li><a href=\"%s\"%s>%s</a></li>\n"
                  .formatted(address, current, escape(other.title())));
        }
      }
      list.append("</ul>\n");
    }
    return list.toString();
  }
}
