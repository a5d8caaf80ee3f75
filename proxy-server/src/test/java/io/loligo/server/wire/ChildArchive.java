package io.loligo.server.wire;

import io.loligo.server.time.TimeSource;
import io.loligo.server.training.Training;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * A class archive for the processes that tests start, which takes a third of the CPU of such a
 * start. An archive has classes of jars only, so the folders of this build become one.
 *
 * <p>The build makes it before the tests ({@link #main}); without it the processes start as usual.
 */
final class ChildArchive {
  private static final int CONNECTIONS = 64;
  private static final Duration AT_MOST = Duration.ofSeconds(10);

  private ChildArchive() {}

  /** Writes it into the folder named by the only argument, which it makes. */
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]).toAbsolutePath();
    Files.createDirectories(folder);
    List<String> jars = new ArrayList<>();
    Path jar = folder.resolve("classes.jar");
    jars.add(jar.toString());
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      out.setLevel(0);
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
        Path path = Path.of(entry);
        if (Files.isDirectory(path) && !path.endsWith("test-classes")) {
          add(path, out);
        } else if (Files.isRegularFile(path)) {
          jars.add(entry);
        }
      }
    }
    String classPath = String.join(File.pathSeparator, jars);
    List<String> command = new ArrayList<>(ProxyProcess.java());
    command.add("-XX:ArchiveClassesAtExit=" + folder.resolve("classes.jsa"));
    command.addAll(List.of("-cp", classPath, ProxyProcess.MAIN));
    new Training(Files.createTempDirectory(folder, "training"), TimeSource.SYSTEM)
        .run(
            proxy -> Stream.concat(command.stream(), proxy.stream()).toList(),
            CONNECTIONS,
            AT_MOST);
    Files.writeString(folder.resolve("classpath"), classPath);
  }

  private static void add(Path classes, JarOutputStream out) throws IOException {
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
  }

  /**
   * The options with which a JVM finds the classes of this build: with the archive where there is
   * one.
   */
  static List<String> classes() throws IOException {
    String all = System.getProperty("java.class.path");
    Path folder = Path.of(System.getProperty("loligo.test.archive", ""));
    Path archived = folder.resolve("classpath");
    if (!Files.exists(archived)) {
      return List.of("-cp", all);
    }
    return List.of(
        "-XX:SharedArchiveFile=" + folder.resolve("classes.jsa"),
        "-Xlog:cds*=off",
        "-cp",
        Files.readString(archived) + File.pathSeparator + all);
  }
}
