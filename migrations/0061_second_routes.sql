-- expand: A text that did not arrive is sent once more over another gateway.

-- When that was decided: at most once for a code.
alter type issued_code add attribute rerouted_at timestamptz;
