package io.loligo.core.acl;

import io.loligo.core.message.Fields;
import org.jspecify.annotations.Nullable;

/**
 * A connection without an acceptable request, for access rules: its URL and fields are empty.
 * Confined to the connection's event loop.
 */
public abstract class NoRequest implements AclInput {
  private static final Fields NO_FIELDS = new Fields(1);

  @Override
  public final String method() {
    return "";
  }

  @Override
  public final String scheme() {
    return "";
  }

  @Override
  public final String host() {
    return "";
  }

  @Override
  public final int port() {
    return 0;
  }

  @Override
  public final String url() {
    return "";
  }

  @Override
  public final String urlPath() {
    return "";
  }

  @Override
  public final Fields requestFields() {
    return NO_FIELDS;
  }

  @Override
  public @Nullable Fields replyFields() {
    return null;
  }

  @Override
  public int replyStatus() {
    return 0;
  }
}
