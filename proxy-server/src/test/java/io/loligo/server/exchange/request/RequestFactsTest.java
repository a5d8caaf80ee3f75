package io.loligo.server.exchange.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.port.Destination;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** One instance serves one client after the other: no fact of a request may reach the next one. */
final class RequestFactsTest {
  /** Fields that a copy has of its own, or finds again when it is asked. */
  private static final Set<String> NOT_COPIED =
      Set.of("head", "target", "owned", "reply", "replyStatus", "stored", "client");

  private final SampleRequests samples = new SampleRequests();

  @Test
  void theSnapshotIsMadeOnceAndNotedInTheRecord() {
    Request current = samples.request();
    Request snapshot = current.snapshot();
    assertThat(snapshot).isNotSameAs(current);
    assertThat(snapshot.snapshot()).isSameAs(snapshot);
    assertThat(samples.record.acl).isSameAs(snapshot);
    assertThat(samples.record.request).isSameAs(snapshot.head()).isNotSameAs(current.head());
    assertThat(samples.record.target).isSameAs(snapshot.target());
  }

  @Test
  void beginForgetsAllFactsOfTheRequestBefore() throws ReflectiveOperationException {
    Request used = samples.request();
    Map<String, Object> fresh = facts(used);
    Request filled = fill(samples.request());
    samples.begin(filled);
    Map<String, Object> begun = facts(filled);
    // each request has a stream, a head and a target of its own
    for (String own : List.of("stream", "head", "target")) {
      assertThat(begun.remove(own)).isNotNull();
      fresh.remove(own);
    }
    assertThat(begun).isEqualTo(fresh);
  }

  @Test
  void aCopyHasAllFacts() throws ReflectiveOperationException {
    Request filled = fill(samples.request());
    Request copy = filled.with(filled.head(), filled.target());
    Map<String, Object> expected = facts(filled);
    Map<String, Object> copied = facts(copy);
    expected.keySet().removeAll(NOT_COPIED);
    copied.keySet().removeAll(NOT_COPIED);
    assertThat(copied).isEqualTo(expected);
  }

  @Test
  void theRequestInTheBackgroundHasTheSameDestination() throws ReflectiveOperationException {
    Request filled = fill(samples.request());
    assertThat(filled.inBackground().destination())
        .isNotNull()
        .isSameAs(filled.snapshot().destination());
  }

  /** Gives every field that can be changed without harm another value than a new request has. */
  private static Request fill(Request request) throws ReflectiveOperationException {
    for (Field field : fields()) {
      Class<?> type = field.getType();
      if (type == int.class) {
        field.setInt(request, 4711);
      } else if (type == long.class) {
        field.setLong(request, 4711);
      } else if (type == boolean.class) {
        field.setBoolean(request, true);
      } else if (type == byte[].class) {
        field.set(request, new byte[] {1, 2, 3, 4});
      } else if (type == List.class) {
        field.set(request, List.of(new byte[] {1, 2, 3, 4}));
      } else if (type == InetSocketAddress.class) {
        field.set(request, new InetSocketAddress("192.0.2.1", 4711));
      } else if (type == Destination.class) {
        field.set(request, new Destination("https", "a.test", 8443, null, "user"));
      } else if (field.get(request) == null && type == String.class) {
        field.set(request, "fact");
      }
    }
    return request;
  }

  private static Map<String, Object> facts(Request request) throws ReflectiveOperationException {
    Map<String, Object> facts = new TreeMap<>();
    for (Field field : fields()) {
      Object value = field.get(request);
      // a proxy has no equals of its own
      Object fact = value instanceof ClientStream ? System.identityHashCode(value) : value;
      facts.put(field.getName(), fact == null ? "null" : fact);
    }
    return facts;
  }

  private static List<Field> fields() {
    List<Field> fields =
        Arrays.stream(Request.class.getDeclaredFields())
            .filter(field -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
            .toList();
    fields.forEach(field -> field.setAccessible(true));
    return fields;
  }
}
