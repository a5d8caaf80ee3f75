package io.loligo.core.acl;

import java.util.List;

/** Resolves host names while a configuration is read. */
@FunctionalInterface
public interface HostResolver {
  /** The addresses of {@code host}, 4 or 16 bytes each; empty if there are none. */
  List<byte[]> resolve(String host);
}
