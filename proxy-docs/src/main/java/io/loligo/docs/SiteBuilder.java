package io.loligo.docs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Makes the site: a page of HTML for each Markdown file that {@code README.md} leads to, and copies
 * of the other files that they link to. The same sources give the same bytes.
 */
public final class SiteBuilder {
  private static final String INDEX = "docs/README.md";

  private final Path root;
  private final Map<String, Page> pages = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();
  private final Links links;

  /**
   * @param root the folder of the repository
   */
  SiteBuilder(Path root) {
    this.root = root;
    this.links = new Links(root, pages, problems);
  }

  /** Makes the site of the repository {@code args[0]} in the folder {@code args[1]}. */
  public static void main(String[] args) throws IOException {
    SiteBuilder site = new SiteBuilder(Path.of(args[0]).toAbsolutePath().normalize());
    site.write(Path.of(args[1]));
    site.problems.forEach(System.err::println);
    System.out.printf(
        "%d pages and %d files in %s; %d links to other sites%n",
        site.pages.size(), site.links.files().size(), args[1], site.links.external().size());
    if (!site.problems.isEmpty()) {
      System.exit(1);
    }
  }

  /** What is wrong with the pages, after {@link #write}. */
  List<String> problems() {
    return problems;
  }

  /** The pages by path, after {@link #write}. */
  Map<String, Page> pages() {
    return pages;
  }

  void write(Path folder) throws IOException {
    read("README.md");
    Page index = pages.get(INDEX);
    if (index == null) {
      problems.add("README.md does not lead to " + INDEX);
      return;
    }
    Contents contents = Contents.of(index, links);
    findPagesOutside(contents);
    PageHtml html = new PageHtml(pages, contents);
    pages.values().forEach(links::change);
    for (Page page : pages.values()) {
      Path file = folder.resolve(page.htmlPath());
      Files.createDirectories(file.getParent());
      Files.write(file, html.of(page).getBytes(UTF_8));
    }
    for (Map.Entry<String, String> file : links.files().entrySet()) {
      Path copy = folder.resolve(file.getValue());
      Files.createDirectories(copy.getParent());
      Files.write(copy, Files.readAllBytes(root.resolve(file.getKey())));
    }
  }

  private void read(String path) throws IOException {
    Page page = Page.read(root, path);
    pages.put(path, page);
    for (String other : links.markdownOf(page, page.document())) {
      if (!pages.containsKey(other)) {
        read(other);
      }
    }
  }

  /** A page that the index does not have is a problem; decisions have an index of their own. */
  private void findPagesOutside(Contents contents) throws IOException {
    try (Stream<Path> files = Files.walk(root.resolve("docs"))) {
      files
          .map(file -> root.relativize(file).toString().replace('\\', '/'))
          .filter(path -> path.endsWith(".md") && !path.equals(INDEX))
          .filter(path -> !contents.paths().contains(path))
          .filter(path -> !path.startsWith("docs/adr/") || !pages.containsKey(path))
          .sorted()
          .forEach(path -> problems.add(path + " is not in the tables of " + INDEX));
    }
  }
}
