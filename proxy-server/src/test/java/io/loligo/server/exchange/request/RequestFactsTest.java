package io.loligo.server.exchange.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.ExternalAcl;
import io.loligo.core.acl.Notes;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.helper.HelperReply;
import io.loligo.server.helper.HelperResult;
import io.loligo.server.port.Destination;
import io.loligo.server.record.HelperFacts;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.trace.CausedTrace;
import io.loligo.server.trace.TraceParent;
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
      Set.of(
          "head",
          "target",
          "owned",
          "reply",
          "replyStatus",
          "stored",
          "client",
          "helpers",
          "server");

  private static final ExternalAcl ACL = new ExternalAcl("a", "type", List.of());
  private static final HelperReply REPLY = HelperReply.of(HelperResult.OK);

  private static final Map<Class<?>, Object> VALUES =
      Map.ofEntries(
          Map.entry(byte[].class, new byte[] {1, 2, 3, 4}),
          Map.entry(InetSocketAddress.class, new InetSocketAddress("192.0.2.1", 4711)),
          Map.entry(Destination.class, new Destination("https", "a.test", 8443, null, "user")),
          Map.entry(
              KnownDestination.class,
              KnownDestination.UNKNOWN.pinnedTo(new InetSocketAddress("192.0.2.1", 80), true)),
          Map.entry(
              ExternalAnswers.class, (ExternalAnswers) (request, acl) -> ExternalAcl.Answer.MATCH),
          Map.entry(ExternalAcl.class, ACL),
          Map.entry(HelperReply.class, REPLY),
          Map.entry(HelperFacts.class, new HelperFacts("tag", null, null, null, null)),
          Map.entry(Notes.class, Notes.NONE.with("name", "value")),
          Map.entry(Set.class, Set.of("service")),
          Map.entry(AdaptationFacts.class, new AdaptationFacts("shared", List.of())),
          Map.entry(
              CausedTrace.class,
              new CausedTrace(new TraceParent(1, 2, 3, 1), new TraceParent(4, 5, 6, 1))),
          Map.entry(Map.class, Map.of(ACL, REPLY)));

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
    Map<String, Object> fresh = facts(samples.request());
    Request filled = fill(samples.request());
    filled.server().tunnelStep(new TunnelStep(1, "a.test"));
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
  void beginForgetsAllAnswersOfHelpers() throws ReflectiveOperationException {
    Request filled = samples.request();
    fill(filled.helperAnswers());
    samples.begin(filled);
    assertThat(facts(filled.helperAnswers())).isEqualTo(facts(new HelperAnswers()));
  }

  @Test
  void aCopyHasTheAnswersOfHelpersAndLaterOnesOfItsOwn() throws ReflectiveOperationException {
    Request filled = samples.request();
    fill(filled.helperAnswers());
    Map<String, Object> answers = facts(filled.helperAnswers());
    Request copy = filled.with(filled.head(), filled.target());
    assertThat(facts(copy.helperAnswers())).isEqualTo(answers).doesNotContainValue("null");
    copy.helperAnswers().forgetUnasked();
    copy.helperAnswers().reply(new ExternalAcl("b", "type", List.of()), REPLY);
    assertThat(facts(filled.helperAnswers())).isEqualTo(answers);
  }

  @Test
  void aCopyHasTheStepOfTheTunnelAndIsSentItsOwnWay() {
    Request first = samples.request();
    first.server().tunnelStep(new TunnelStep(2, "a.test"));
    first.server().certificateFault(TlsFault.CERT_HAS_EXPIRED);
    Request copy = first.with(first.head(), first.target());
    assertThat(copy.bumpStep()).isEqualTo(2);
    assertThat(copy.requestedServerName()).isEqualTo("a.test");
    assertThat(first.certificateFaults()).isNotEmpty();
    assertThat(copy.certificateFaults()).isEmpty();
  }

  @Test
  void theRequestInTheBackgroundHasTheSameDestination() throws ReflectiveOperationException {
    Request filled = fill(samples.request());
    assertThat(filled.inBackground(null).destination())
        .isNotNull()
        .isSameAs(filled.snapshot().destination());
  }

  /** Gives every field that can be changed without harm another value than a new object has. */
  private static <T> T fill(T object) throws ReflectiveOperationException {
    for (Field field : fields(object)) {
      Class<?> type = field.getType();
      if (type == int.class) {
        field.setInt(object, 4711);
      } else if (type == long.class) {
        field.setLong(object, 4711);
      } else if (type == boolean.class) {
        field.setBoolean(object, true);
      } else if (field.get(object) == null && type == String.class) {
        field.set(object, "fact");
      } else if (VALUES.containsKey(type)) {
        field.set(object, VALUES.get(type));
      }
    }
    return object;
  }

  private static Map<String, Object> facts(Object object) throws ReflectiveOperationException {
    Map<String, Object> facts = new TreeMap<>();
    for (Field field : fields(object)) {
      Object value = field.get(object);
      // a proxy has no equals of its own
      Object fact = value instanceof ClientStream ? System.identityHashCode(value) : value;
      facts.put(field.getName(), fact == null ? "null" : fact);
    }
    return facts;
  }

  private static List<Field> fields(Object object) {
    List<Field> fields =
        Arrays.stream(object.getClass().getDeclaredFields())
            .filter(field -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
            .toList();
    fields.forEach(field -> field.setAccessible(true));
    return fields;
  }
}
