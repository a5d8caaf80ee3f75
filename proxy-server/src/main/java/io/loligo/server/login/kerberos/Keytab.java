package io.loligo.server.login.kerberos;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The principals of a keytab, the format of MIT Kerberos with the version 5.2. Immutable.
 *
 * @param principals such as {@code HTTP/proxy.example.net@EXAMPLE.NET}, each once
 */
public record Keytab(Set<String> principals) {
  private static final int VERSION = 0x0502;

  /** A copy of {@code principals} is kept, in their order. */
  public Keytab {
    principals = new LinkedHashSet<>(principals);
  }

  /** Reads {@code text}, each character one byte; null: it is no keytab. */
  public static @Nullable Keytab of(String text) {
    ByteBuffer file = ByteBuffer.wrap(text.getBytes(ISO_8859_1));
    Set<String> principals = new LinkedHashSet<>();
    try {
      if (file.getShort() != VERSION) {
        return null;
      }
      while (file.remaining() >= 4) {
        int size = file.getInt();
        int length = Math.abs(size);
        if (length < 0 || length > file.remaining()) {
          return null;
        }
        if (size > 0) {
          principals.add(principal(file.slice(file.position(), length)));
        }
        file.position(file.position() + length);
      }
    } catch (BufferUnderflowException cut) {
      return null;
    }
    return new Keytab(principals);
  }

  private static String principal(ByteBuffer entry) {
    int count = entry.getShort() & 0xffff;
    String realm = counted(entry);
    List<String> components = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      components.add(counted(entry));
    }
    return String.join("/", components) + "@" + realm;
  }

  private static String counted(ByteBuffer entry) {
    int length = entry.getShort() & 0xffff;
    if (length > entry.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    entry.get(bytes);
    return new String(bytes, ISO_8859_1);
  }

  /** The principal that {@code name} means, with or without its realm; null: it has no key. */
  public @Nullable String principal(String name) {
    for (String one : principals) {
      if (one.equals(name) || one.startsWith(name + "@")) {
        return one;
      }
    }
    return null;
  }
}
