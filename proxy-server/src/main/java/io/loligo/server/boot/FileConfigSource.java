package io.loligo.server.boot;

import io.loligo.core.config.ConfigSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** Configuration from files, names from the system's resolver. Stateless; blocks. */
public final class FileConfigSource implements ConfigSource {
  @Override
  public @Nullable String read(String path) {
    try {
      return Files.readString(Path.of(path), StandardCharsets.ISO_8859_1);
    } catch (IOException | InvalidPathException e) {
      return null;
    }
  }

  @Override
  public boolean isExecutable(String path) {
    try {
      Path file = Path.of(path);
      return Files.isRegularFile(file) && Files.isExecutable(file);
    } catch (InvalidPathException e) {
      return false;
    }
  }

  @Override
  public List<String> expand(String pattern) {
    int slash = pattern.lastIndexOf('/');
    String folder = slash < 0 ? "." : slash == 0 ? "/" : pattern.substring(0, slash);
    List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(Path.of(folder), pattern.substring(slash + 1))) {
      for (Path file : files) {
        found.add(slash < 0 ? file.getFileName().toString() : file.toString());
      }
    } catch (IOException | InvalidPathException | PatternSyntaxException e) {
      return List.of();
    }
    Collections.sort(found);
    return found;
  }

  @Override
  public List<byte[]> resolve(String host) {
    try {
      List<byte[]> addresses = new ArrayList<>();
      for (InetAddress address : InetAddress.getAllByName(host)) {
        addresses.add(address.getAddress());
      }
      return addresses;
    } catch (UnknownHostException e) {
      return List.of();
    }
  }

  @Override
  public String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
