package io.loligo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * The third-party libraries in {@code loligo.jar}, as the build lists them, with the licences that
 * the POM beside each jar declares: all may be redistributed, and {@code docs/dependencies.md} is
 * as committed. {@code -Dloligo.reference.write=true} writes the page again.
 */
class DependenciesTest {
  private static final Path PAGE = Path.of("..", "docs", "dependencies.md");
  private static final Path LIST = Path.of("target", "dependencies.txt");

  /** {@code group:artifact:jar[:classifier]:version:scope:file}. */
  private static final Pattern LINE =
      Pattern.compile("^ +([^: ]+):([^:]+):jar(?::([^:]+))?:([^:]+):(?:compile|runtime):(\\S+)");

  /**
   * The licences under which third-party work may be redistributed unchanged: their declared names,
   * in lower case, and their SPDX names. Others are not allowed.
   */
  private static final Map<String, String> ALLOWED =
      Map.ofEntries(
          Map.entry("apache 2.0", "Apache-2.0"),
          Map.entry("apache license 2.0", "Apache-2.0"),
          Map.entry("apache license, version 2", "Apache-2.0"),
          Map.entry("apache license, version 2.0", "Apache-2.0"),
          Map.entry("the apache license, version 2.0", "Apache-2.0"),
          Map.entry("the apache software license, version 2.0", "Apache-2.0"),
          // the text is that of MIT
          Map.entry("bouncy castle licence", "MIT"),
          Map.entry("bsd-2-clause", "BSD-2-Clause"),
          Map.entry("bsd-3-clause", "BSD-3-Clause"),
          Map.entry("the bsd license", "BSD-3-Clause"),
          Map.entry("go license", "BSD-3-Clause"),
          Map.entry("public domain, per creative commons cc0", "CC0-1.0"),
          Map.entry("eclipse public license - v 1.0", "EPL-1.0"),
          Map.entry("mit", "MIT"),
          Map.entry("mit license", "MIT"));

  private record Component(String version, List<String> licences) {}

  /** By coordinates without version. */
  private static final Map<String, Component> COMPONENTS = new TreeMap<>();

  @BeforeAll
  static void read() throws Exception {
    assertThat(LIST).as("written by the build, before the tests").exists();
    for (String line : Files.readAllLines(LIST)) {
      Matcher part = LINE.matcher(line);
      if (part.find()) {
        String classifier = part.group(3) == null ? "" : ":" + part.group(3);
        Path folder = Path.of(part.group(5)).getParent();
        COMPONENTS.put(
            part.group(1) + ":" + part.group(2) + classifier,
            new Component(part.group(4), licences(folder)));
      }
    }
  }

  @Test
  void eachIsUnderALicenceThatMayBe() {
    List<String> wrong = new ArrayList<>();
    COMPONENTS.forEach(
        (name, component) -> {
          // where there are several, one may choose
          if (component.licences().stream().noneMatch(ALLOWED::containsValue)) {
            wrong.add(name + " " + component);
          }
        });

    assertThat(wrong).isEmpty();
    assertThat(COMPONENTS)
        .hasSizeGreaterThan(20)
        .containsKey("io.netty:netty-transport-native-epoll:linux-x86_64");
  }

  @Test
  void pageIsCommittedAsGenerated() throws IOException {
    String generated = page();
    if (Boolean.getBoolean("loligo.reference.write")) {
      Files.writeString(PAGE, generated);
    }

    assertThat(Files.readString(PAGE)).isEqualTo(generated);
  }

  private static String page() {
    StringBuilder page = new StringBuilder();
    page.append(
        """
        # Dependencies

        `loligo.jar` contains these libraries unchanged, except that their licence and notice files are
        joined in its `META-INF`. `DependenciesTest` generates this page, and fails if a licence is unknown
        or not allowed. Of several licences one suffices. The bill of materials that `mvn package` writes
        (`proxy-server/target/loligo.cdx.json`) has the checksums.

        The live page has uPlot 1.6.32 (MIT), unchanged, as a file beside its own.

        | component | version | licence |
        | --- | --- | --- |
        """);
    COMPONENTS.forEach(
        (name, component) ->
            page.append("| ")
                .append(name)
                .append(" | ")
                .append(component.version())
                .append(" | ")
                .append(String.join(" or ", component.licences()))
                .append(" |\n"));
    return page.toString();
  }

  /**
   * The licences that the POM in {@code folder} of a local repository declares, or one that it
   * inherits from.
   */
  private static List<String> licences(Path folder) throws Exception {
    String version = folder.getFileName().toString();
    String artifact = folder.getParent().getFileName().toString();
    Element project =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(folder.resolve(artifact + "-" + version + ".pom").toFile())
            .getDocumentElement();
    Element declared = child(project, "licenses");
    if (declared != null) {
      return children(declared, "license").stream().map(one -> spdx(text(one, "name"))).toList();
    }
    Element parent = child(project, "parent");
    if (parent == null) {
      return List.of();
    }
    int groupDepth = groupOf(project, parent).split("\\.", -1).length;
    Path repository =
        folder.getRoot().resolve(folder.subpath(0, folder.getNameCount() - groupDepth - 2));
    return licences(
        repository
            .resolve(text(parent, "groupId").replace('.', '/'))
            .resolve(text(parent, "artifactId"))
            .resolve(text(parent, "version")));
  }

  private static String groupOf(Element project, Element parent) {
    String own = text(project, "groupId");
    return own.isEmpty() ? text(parent, "groupId") : own;
  }

  private static String spdx(String declared) {
    return ALLOWED.getOrDefault(declared.toLowerCase(Locale.ROOT), declared);
  }

  private static List<Element> children(Element parent, String name) {
    List<Element> found = new ArrayList<>();
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element && element.getTagName().equals(name)) {
        found.add(element);
      }
    }
    return found;
  }

  private static Element child(Element parent, String name) {
    List<Element> found = children(parent, name);
    return found.isEmpty() ? null : found.get(0);
  }

  private static String text(Element parent, String name) {
    Element found = child(parent, name);
    return found == null ? "" : found.getTextContent().strip();
  }
}
