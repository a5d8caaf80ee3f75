package io.loligo.junit;

import io.loligo.LoligoConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Resolves parameters of type {@link TestProxy} and {@link TestOrigin}. {@link LoligoProxy} brings
 * it; {@link #with} gives one with settings that an annotation cannot have, for
 * {@code @RegisterExtension}. Thread-safe: tests may run at the same time.
 */
public final class LoligoExtension implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(LoligoExtension.class);

  private final Consumer<LoligoConfig> settings;

  /** For {@link LoligoProxy}. */
  public LoligoExtension() {
    this(config -> {});
  }

  private LoligoExtension(Consumer<LoligoConfig> settings) {
    this.settings = settings;
  }

  /**
   * An extension whose proxies have these settings, after those of {@link LoligoProxy}. The clock
   * and the observer of exchanges belong to the extension.
   */
  public static LoligoExtension with(Consumer<LoligoConfig> settings) {
    return new LoligoExtension(settings);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == TestProxy.class || type == TestOrigin.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Pair pair =
        context
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(Pair.class, key -> start(context), Pair.class);
    return parameter.getParameter().getType() == TestProxy.class ? pair.proxy : pair.origin;
  }

  private Pair start(ExtensionContext context) {
    Optional<LoligoProxy> onMethod =
        context
            .getTestMethod()
            .flatMap(method -> AnnotationSupport.findAnnotation(method, LoligoProxy.class));
    Optional<LoligoProxy> given =
        onMethod.or(
            () ->
                context
                    .getTestClass()
                    .flatMap(type -> AnnotationSupport.findAnnotation(type, LoligoProxy.class)));
    try {
      return new Pair(given.orElse(null), settings);
    } catch (IOException e) {
      throw new UncheckedIOException("the proxy of the test cannot start", e);
    }
  }

  /** What one test has. */
  @SuppressWarnings("deprecation") // versions of JUnit before 5.13 close no AutoCloseable
  private static final class Pair
      implements ExtensionContext.Store.CloseableResource, AutoCloseable {
    final TestOrigin origin;
    final TestProxy proxy;

    Pair(@Nullable LoligoProxy annotation, Consumer<LoligoConfig> settings) throws IOException {
      TestClock clock = new TestClock();
      origin = TestOrigin.start(clock);
      try {
        proxy = TestProxy.start(clock, annotation, settings);
      } catch (IOException | RuntimeException e) {
        origin.close();
        throw e;
      }
    }

    @Override
    public void close() {
      proxy.close();
      origin.close();
    }
  }
}
