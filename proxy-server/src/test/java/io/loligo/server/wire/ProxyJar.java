package io.loligo.server.wire;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/** A jar with the classes of this build. Stateless. */
final class ProxyJar {
  private ProxyJar() {}

  /** The runnable jar; the libraries stay in jars of their own. */
  static Path write(Path jar) throws IOException {
    return write(jar, "");
  }

  /** The same of a version; empty: of none. */
  static Path write(Path jar, String version) throws IOException {
    List<String> libraries = new ArrayList<>();
    for (Path path : classPath()) {
      if (Files.isRegularFile(path)) {
        libraries.add(path.toUri().toString());
      }
    }
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.put(Attributes.Name.MAIN_CLASS, "io.loligo.server.cli.Start");
    main.put(Attributes.Name.MULTI_RELEASE, "true");
    if (!version.isEmpty()) {
      main.put(Attributes.Name.IMPLEMENTATION_VERSION, version);
    }
    main.putValue("Enable-Native-Access", "ALL-UNNAMED");
    main.putValue(
        "Add-Opens",
        "java.base/java.lang java.base/java.nio java.base/jdk.internal.misc"
            + " java.base/java.lang.reflect java.base/sun.nio.ch");
    main.putValue("Add-Exports", "java.base/jdk.internal.ref");
    main.put(Attributes.Name.CLASS_PATH, String.join(" ", libraries));
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      Set<String> names = new HashSet<>();
      for (Path folder : classPath()) {
        if (!folder.endsWith("classes")) {
          continue;
        }
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

  private static List<Path> classPath() {
    List<Path> paths = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      paths.add(Path.of(entry).toAbsolutePath());
    }
    return paths;
  }

  private static List<Path> filesBelow(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }
}
