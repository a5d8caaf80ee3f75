package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code archive} writes an archive for this JVM, and {@code run} uses it without being asked. */
@EnabledOnOs(OS.LINUX)
final class ArchiveWireTest {
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();

  private static final int PATIENCE_SECONDS = 180;

  @TempDir Path dir;

  /** The classes of this build; the libraries stay in jars of their own. */
  private Path jar() throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.put(Attributes.Name.MAIN_CLASS, "io.loligo.server.cli.Main");
    main.put(Attributes.Name.MULTI_RELEASE, "true");
    main.putValue("Enable-Native-Access", "ALL-UNNAMED");
    main.putValue(
        "Add-Opens",
        "java.base/java.lang java.base/java.nio java.base/jdk.internal.misc"
            + " java.base/java.lang.reflect java.base/sun.nio.ch");
    main.putValue("Add-Exports", "java.base/jdk.internal.ref");
    List<Path> folders = new ArrayList<>();
    List<String> libraries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path path = Path.of(entry).toAbsolutePath();
      if (Files.isRegularFile(path)) {
        libraries.add(path.toUri().toString());
      } else if (path.endsWith("classes")) {
        folders.add(path);
      }
    }
    main.put(Attributes.Name.CLASS_PATH, String.join(" ", libraries));
    Path jar = dir.resolve("proxy.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      Set<String> names = new HashSet<>();
      for (Path folder : folders) {
        for (Path each : filesBelow(folder)) {
          String name = folder.relativize(each).toString();
          if (!name.equals("META-INF/MANIFEST.MF") && names.add(name)) {
            out.putNextEntry(new ZipEntry(name));
            Files.copy(each, out);
          }
        }
      }
    }
    return jar;
  }

  private static List<Path> filesBelow(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  /**
   * Runs the proxy until its port is open. Returns what it printed, and where classes came from.
   */
  private String[] run(Path jar) throws Exception {
    int port = ProxyProcess.freePort();
    String text =
        """
        http_port 127.0.0.1:%d
        http_access allow all
        access_log none
        pid_filename none
        loligo_admin_port off
        """;
    Path conf = Files.writeString(dir.resolve("loligo.conf"), text.formatted(port));
    Path log = dir.resolve("classes.log");
    String option = "-Xlog:class+load:file=" + log + "::filecount=0";
    try (ProxyProcess process =
        ProxyProcess.start(dir, JAVA, option, "-jar", jar.toString(), "run", "-f", "" + conf)) {
      process.awaitPort(port);
      process.signal("TERM");
      assertThat(process.awaitExit()).as(process.output()).isZero();
      return new String[] {process.output(), Files.readString(log)};
    }
  }

  /** The classes of this build by whether they come from an archive. */
  private static Map<Boolean, List<String>> byShared(String log) {
    return log.lines()
        .filter(line -> line.contains(" io.loligo."))
        .collect(Collectors.partitioningBy(line -> line.contains("shared objects file")));
  }

  @Test
  void aJvmUsesTheArchiveThatItWrote() throws Exception {
    Path jar = jar();
    assertThat(byShared(run(jar)[1]).get(true)).isEmpty();
    try (ProxyProcess making = ProxyProcess.start(dir, JAVA, "-jar", "" + jar, "archive")) {
      // it starts two JVMs and writes 40 MB
      assertThat(making.process().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(making.process().exitValue()).as(making.output()).isZero();
      assertThat(making.output()).startsWith("wrote " + dir).hasLineCount(1);
    }
    String[] with = run(jar);
    Map<Boolean, List<String>> classes = byShared(with[1]);
    assertThat(classes.get(true))
        .as("classes from the archive, others: %s", classes.get(false))
        .hasSizeGreaterThan(classes.get(false).size());
    assertThat(with[0]).doesNotContain("[warning]", "[error]");

    // an archive of other classes
    Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
    String[] without = run(jar);
    assertThat(byShared(without[1]).get(true)).isEmpty();
    assertThat(without[0]).doesNotContain("[warning]", "[error]", "own flags");
  }
}
