package io.loligo.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteBuilderTest {
  @TempDir Path dir;

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SiteBuilder build(Path root, String to) throws IOException {
    SiteBuilder site = new SiteBuilder(root.toAbsolutePath().normalize());
    site.write(dir.resolve(to));
    return site;
  }

  private List<Path> pages(String folder) throws IOException {
    try (Stream<Path> files = Files.walk(dir.resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(".html")).sorted().toList();
    }
  }

  /** A repository of two pages, whose second one has this text. */
  private Path repository(String second) throws IOException {
    Path root = dir.resolve("repository");
    Files.createDirectories(root.resolve("docs"));
    Files.createDirectories(root.resolve("config"));
    Files.writeString(root.resolve("config/a.conf"), "http_port 3128\n");
    Files.writeString(root.resolve("README.md"), "# First\n\n[all](docs/README.md)\n");
    String index =
        "# Index\n\n## Pages\n\n| page | content |\n| --- | --- |\n| [b.md](b.md) | b |\n";
    Files.writeString(root.resolve("docs/README.md"), index);
    Files.writeString(root.resolve("docs/b.md"), second);
    return root;
  }

  @Test
  void theDocumentationHasNoBrokenLinkAndIsAllInTheIndex() throws IOException {
    assertThat(build(Path.of(".."), "site").problems()).isEmpty();
  }

  @Test
  void pagesLoadNothingFromElsewhereAndRunNothing() throws IOException {
    build(Path.of(".."), "site");
    assertThat(pages("site")).hasSizeGreaterThan(50);
    for (Path page : pages("site")) {
      assertThat(read(page))
          .as(page.toString())
          .contains("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ")
          .doesNotContainPattern("<(script|link|iframe|object|form|base)\\b")
          .doesNotContainPattern(
              "\\ssrc=\"(https?:)?//|\\son[a-z]+=\"|\\sstyle=\"|<style>[^<]*url\\(")
          .doesNotContainPattern("href=\"(?!https?:)[^\"]*\\.md[#\"]")
          .doesNotContain("<!--");
    }
  }

  @Test
  void theSameSourcesGiveTheSameBytes() throws IOException {
    build(Path.of(".."), "one");
    build(Path.of(".."), "other");
    for (Path page : pages("one")) {
      Path other = dir.resolve("other").resolve(dir.resolve("one").relativize(page));
      assertThat(page).hasSameBinaryContentAs(other);
    }
  }

  @Test
  void linksLeadToPagesHeadingsAndCopiesOfFiles() throws IOException {
    Path root =
        repository(
            """
            # The second page

            <!-- run: nothing -->

            ## A `code`, and more

            [here](#a-code-and-more) [README.md](../README.md) [file](../config/a.conf) [all](../config)
            """);
    assertThat(build(root, "site").problems()).isEmpty();
    assertThat(read(dir.resolve("site/docs/b.html")))
        .contains("<h2 id=\"a-code-and-more\">", "<a href=\"#a-code-and-more\">here</a>")
        .contains("<a href=\"../index.html\">First</a>", "href=\"../config/a.conf.txt\"")
        .contains("aria-current=\"page\">The second page</a>", " all</p>");
    assertThat(dir.resolve("site/config/a.conf.txt")).content().isEqualTo("http_port 3128\n");
  }

  @Test
  void linksThatLeadNowhereAreNamed() throws IOException {
    Path root = repository("# B\n\n[a](none.md) [b](#none) [c](README.md#none) <b>bold</b>\n");
    Files.writeString(root.resolve("docs/lost.md"), "# Lost\n");
    assertThat(build(root, "site").problems())
        .containsExactlyInAnyOrder(
            "docs/b.md: no such file: none.md",
            "docs/b.md: no such heading: #none",
            "docs/b.md: no such heading: README.md#none",
            "docs/b.md: HTML: <b>",
            "docs/b.md: HTML: </b>",
            "docs/lost.md is not in the tables of docs/README.md");
  }

  @Test
  void equalHeadingsHaveDifferentAnchors() throws IOException {
    Path root = repository("# B\n\n## Same\n\n## Same\n\n[a](#same) [b](#same-1)\n");
    assertThat(build(root, "site").problems()).isEmpty();
  }
}
