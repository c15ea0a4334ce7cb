/** Says that there are new rows, and shows them when the viewer wants to. The list does not move until then. */
import { Icon } from '../../ui/icons.tsx';
import type { News } from './use-news.ts';
import { useViewer } from './viewer.ts';

export function NewsPill({ news, onShow }: { news: News | undefined; onShow(): void }) {
  const { texts, locale } = useViewer();
  const text = news?.count === undefined ? texts.newActivity : texts.newRows(news.count.toLocaleString(locale));
  return (
    <div class="news" role="status">
      {news && (
        <button type="button" class="fresh" onClick={onShow}>
          <Icon name="above" />
          {text}
        </button>
      )}
    </div>
  );
}
