package io.loligo.server.launch;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The archive of loaded classes of one JVM, a file beside the jar. From JDK 25 on it is an AOT
 * cache, which also has the profiles of methods. The name tells the JVM, so that one jar may have
 * archives for several. See {@code docs/adr/0037-warm-start.md}. Immutable.
 */
public final class ClassArchive {
  /** The first version whose AOT cache has the profiles of methods, and is made in one step. */
  private static final int AOT_CACHE = 25;

  /** An archive that does not fit is ignored, and nobody needs to hear of it. */
  private static final List<String> SILENT = List.of("-Xlog:cds*=off", "-Xlog:aot*=off");

  /** Where a JDK has its own archive; Windows has another place. */
  private static final Path BASE_FOLDER = Path.of("lib", "server");

  private static final String BASE = "classes.jsa";

  private static final String SUFFIX = ".jar";
  private static final int HASH_DIGITS = 8;

  private final Path jar;
  private final Path file;
  private final int version;

  private ClassArchive(Path jar, Path file, int version) {
    this.jar = jar;
    this.file = file;
    this.version = version;
  }

  /** That of this JVM, which may not exist yet. Null if its classes are not those of one jar. */
  public static @Nullable ClassArchive ofThisJvm() {
    return of(Path.of(System.getProperty("java.class.path")));
  }

  /** That of this JVM, if it runs {@code jar}. Null if that is no jar. */
  static @Nullable ClassArchive of(Path jar) {
    Path file = jar.toAbsolutePath().normalize();
    if (!file.toString().endsWith(SUFFIX) || !Files.isRegularFile(file)) {
      return null;
    }
    return of(
        file,
        Runtime.version().feature(),
        System.getProperty("java.vm.version"),
        System.getProperty("java.vm.name")
            + System.getProperty("java.vm.vendor")
            + System.getProperty("os.arch"));
  }

  /**
   * Of one JVM.
   *
   * @param jar absolute
   * @param feature version, such as 17
   * @param exact version
   * @param build what else tells a JVM from others
   */
  static ClassArchive of(Path jar, int feature, String exact, String build) {
    CRC32 hash = new CRC32();
    hash.update(build.getBytes(StandardCharsets.UTF_8));
    String jarName = jar.getFileName().toString();
    String name =
        jarName.endsWith(SUFFIX)
            ? jarName.substring(0, jarName.length() - SUFFIX.length())
            : jarName;
    String digits = Long.toHexString(hash.getValue());
    String file =
        name
            + '-'
            + inFileName(exact)
            + '-'
            + "0".repeat(HASH_DIGITS - digits.length())
            + digits
            + (feature >= AOT_CACHE ? ".aot" : ".jsa");
    return new ClassArchive(jar, jar.resolveSibling(file), feature);
  }

  /** {@code version} with one hyphen for each run of signs that are no letter, digit or dot. */
  private static String inFileName(String version) {
    StringBuilder name = new StringBuilder();
    boolean hyphen = false;
    for (int i = 0; i < version.length(); i++) {
      char c = version.charAt(i);
      boolean other = !(c == '.' || (c < 0x80 && Character.isLetterOrDigit(c)));
      if (!other) {
        name.append(c);
      } else if (!hyphen) {
        name.append('-');
      }
      hyphen = other;
    }
    return name.toString();
  }

  /** Absolute. */
  public Path file() {
    return file;
  }

  /** Whether it tells the JVM also which methods are run often. */
  public boolean hasProfiles() {
    return version >= AOT_CACHE;
  }

  /** An operator's next step where this JVM has written none, without saying why. */
  public String remedy() {
    return remedy(Path.of(System.getProperty("java.home")));
  }

  /** The same for the JVM of {@code javaHome}. */
  String remedy(Path javaHome) {
    Path folder = javaHome.resolve(BASE_FOLDER);
    // an archive of these versions goes on from that of the JDK, which jlink does not make
    boolean lacksBase =
        !hasProfiles() && Files.isDirectory(folder) && !Files.exists(folder.resolve(BASE));
    return lacksBase
        ? javaHome.resolve("bin").resolve("java")
            + " -Xshare:dump, as a user who may write to "
            + folder
            + ", then try again; the proxy runs without"
        : "nothing, the proxy runs without";
  }

  /** The options of a JVM that uses it; none if it does not exist. */
  List<String> options() {
    if (!Files.isReadable(file)) {
      return List.of();
    }
    List<String> options = new ArrayList<>();
    // the other tag is unknown to this version
    options.add(SILENT.get(hasProfiles() ? 1 : 0));
    options.add((hasProfiles() ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + file);
    return options;
  }

  /**
   * A command that runs the proxy with the flags that it has by default, and writes an archive into
   * {@code target} when it ends.
   *
   * @param arguments of the proxy
   */
  public List<String> making(Path target, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Relaunch.program());
    command.addAll(
        JvmFlags.of(version, Runtime.getRuntime().availableProcessors(), Relaunch.shares(0)));
    command.add((hasProfiles() ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + target);
    command.addAll(List.of("-jar", jar.toString()));
    command.addAll(arguments);
    return command;
  }
}
