package io.loligo.cluster.discovery;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The members of a file: one {@code HOST:PORT} in a line; {@code #} begins a comment. The file is
 * read each time. Thread-safe.
 */
public final class FiledMembers implements AddressSource {
  private static final long MAX_BYTES = 1 << 20;

  private final Path file;
  private final Resolver resolver;

  public FiledMembers(Path file, Resolver resolver) {
    this.file = file;
    this.resolver = resolver;
  }

  @Override
  public Set<InetSocketAddress> ask() throws IOException {
    List<HostAndPort> members = new ArrayList<>();
    for (String line : lines()) {
      String word = line.split("#", -1)[0].strip();
      if (!word.isEmpty()) {
        HostAndPort member = HostAndPort.of(word);
        if (member == null) {
          throw new IOException(file + ": \"" + word + "\" is not HOST:PORT");
        }
        members.add(member);
      }
    }
    return new ListedMembers(members, resolver).ask();
  }

  private List<String> lines() throws IOException {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new IOException(file + ": it has more than " + MAX_BYTES + " bytes");
      }
      return Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      throw new IOException(file + ": there is no such file", e);
    }
  }

  @Override
  public int fixed() {
    return 0;
  }
}
