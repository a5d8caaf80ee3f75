package io.loligo.server.exchange.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every method of the interface reaches the stream behind, the default ones too. */
class ForwardingStreamTest {
  /** One call as the stream behind saw it. */
  private record Call(Method method, List<@Nullable Object> arguments) {}

  static Stream<Method> methods() {
    return Arrays.stream(ClientStream.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()));
  }

  @ParameterizedTest
  @MethodSource("methods")
  void passesOn(Method method) throws ReflectiveOperationException {
    List<Call> calls = new ArrayList<>();
    List<@Nullable Object> returned = new ArrayList<>();
    ClientStream behind =
        (ClientStream)
            Proxy.newProxyInstance(
                ClientStream.class.getClassLoader(),
                new Class<?>[] {ClientStream.class},
                (self, called, arguments) -> {
                  calls.add(
                      new Call(called, arguments == null ? List.of() : Arrays.asList(arguments)));
                  Object result = valueOf(called.getReturnType());
                  returned.add(result);
                  return result;
                });
    Object[] given =
        Arrays.stream(method.getParameterTypes()).map(ForwardingStreamTest::valueOf).toArray();

    Object result = method.invoke(new ForwardingStream(behind) {}, given);

    assertThat(calls).containsExactly(new Call(method, Arrays.asList(given)));
    assertThat(result).isEqualTo(returned.get(0));
  }

  /** A value that differs from the default one where the type allows it. */
  private static @Nullable Object valueOf(Class<?> type) {
    if (type == boolean.class) {
      return true;
    }
    if (type == int.class) {
      return 77;
    }
    if (type == long.class) {
      return 78L;
    }
    if (type == byte[].class) {
      return new byte[] {1};
    }
    return type.isInterface()
        ? Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, ForwardingStreamTest::identity)
        : null;
  }

  private static Object identity(Object self, Method called, Object @Nullable [] arguments) {
    return switch (called.getName()) {
      case "equals" -> arguments != null && self == arguments[0];
      case "hashCode" -> System.identityHashCode(self);
      default -> called.getName();
    };
  }
}
