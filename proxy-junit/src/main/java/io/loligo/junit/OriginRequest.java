package io.loligo.junit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request that has reached a {@link TestOrigin}. Immutable. */
public final class OriginRequest {
  private final String method;
  private final String target;
  private final List<Map.Entry<String, String>> fields;
  private final byte[] content;

  OriginRequest(
      String method, String target, List<Map.Entry<String, String>> fields, byte[] content) {
    this.method = method;
    this.target = target;
    this.fields = List.copyOf(fields);
    this.content = content;
  }

  /** The method. */
  public String method() {
    return method;
  }

  /** Path and query. */
  public String target() {
    return target;
  }

  /** The path without the query. */
  public String path() {
    int query = target.indexOf('?');
    return query < 0 ? target : target.substring(0, query);
  }

  /** The value of the first field of this name, in any case; null: there is none. */
  public @Nullable String field(String name) {
    for (Map.Entry<String, String> field : fields) {
      if (field.getKey().equalsIgnoreCase(name)) {
        return field.getValue();
      }
    }
    return null;
  }

  /** The content as text in UTF-8. */
  public String content() {
    return new String(content, UTF_8);
  }

  /** Method and target. */
  @Override
  public String toString() {
    return method + ' ' + target;
  }
}
