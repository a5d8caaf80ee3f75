package io.loligo.server.upstream.own;

import org.jspecify.annotations.Nullable;

/** Gives the digest of the stored responses. Thread-safe; called on event loops. */
public interface OwnDigest {
  /** There is none. */
  OwnDigest NONE = () -> null;

  /** The response to a request for it, head and content, not to be changed; null: none yet. */
  byte @Nullable [] answer();
}
