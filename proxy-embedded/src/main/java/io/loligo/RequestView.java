package io.loligo;

import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.hook.HookedRequest;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request as the client sent it, read-only. Valid until the hook returns, on its thread: keep the
 * strings, not the view. Each call makes new strings.
 */
public final class RequestView {
  private final HookedRequest request;

  RequestView(HookedRequest request) {
    this.request = request;
  }

  /** The method, such as {@code GET}; empty if the response is about an unreadable request. */
  public String method() {
    RequestHead head = request.head();
    return head == null ? "" : head.method();
  }

  /**
   * The effective URI without user information, or {@code host:port} for CONNECT; empty if the
   * response is about an unreadable request.
   */
  public String url() {
    RequestTarget target = request.target();
    return target == null ? "" : target.url();
  }

  /** The host of the URL, in lower case, without a port; empty as for {@link #url}. */
  public String host() {
    RequestTarget target = request.target();
    return target == null ? "" : target.host();
  }

  /** The value of the first field of this name, in any case; null: there is none. */
  public @Nullable String field(String name) {
    List<String> values = fields(name);
    return values.isEmpty() ? null : values.get(0);
  }

  /** The values of all fields of this name, in any case. */
  public List<String> fields(String name) {
    List<String> values = new ArrayList<>(1);
    RequestHead head = request.head();
    if (head != null) {
      Fields fields = head.fields();
      for (int i = fields.next(name, 0); i >= 0; i = fields.next(name, i + 1)) {
        values.add(fields.value(i));
      }
    }
    return values;
  }

  /** The address from which the client is connected; null: unknown. */
  public @Nullable InetSocketAddress client() {
    return request.client();
  }
}
