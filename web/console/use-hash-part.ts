/** What stands behind the name of the view in the address: `17` in `#webhooks/17`. */
import { useEffect, useState } from 'preact/hooks';

const partInAddress = () => location.hash.split('/')[1] ?? '';

export function useHashPart(): string {
  const [part, setPart] = useState(partInAddress);
  useEffect(() => {
    const read = () => setPart(partInAddress());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return part;
}
